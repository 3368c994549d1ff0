package missing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// stored returns the keys of all objects in all buckets.
func stored(t *testing.T, c *system.Cluster) []string {
	t.Helper()
	var all []string
	for _, bucket := range []string{c.Bucket, system.PhotoTemp, system.PhotoFinal} {
		out, err := c.Objects().ListObjectsV2(system.Within(t), &s3.ListObjectsV2Input{Bucket: &bucket})
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range out.Contents {
			all = append(all, bucket+" "+*object.Key)
		}
	}
	return all
}

// children returns the ids of the nodes in the root folder of the caller and in its folders.
func children(t *testing.T, api *client.Client) []string {
	t.Helper()
	var all []string
	root, err := api.Root(system.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{root.ID}
	for len(folders) > 0 {
		for n, err := range api.Children(system.Within(t), folders[0], client.Reading{}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n.ID)
			if n.IsFolder() {
				folders = append(folders, n.ID)
			}
		}
		folders = folders[1:]
	}
	slices.Sort(all)
	return all
}

// TestWrongTableDeletesNothing: a sweep that is configured with an empty table deletes no object and no node, and says
// so. A sweep with the right table then continues without an operator's word.
func TestWrongTableDeletesNothing(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, system.NoSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer")
	api := c.Client(t, system.NewOwner())
	system.Await(t, api, system.UploadMultipart(t, api, "a.txt", "text/plain", []byte("text")).FileID)
	system.AwaitPhoto(t, api, system.SendPhoto(t, api, "sepia", system.DrawPhoto(t, 34)).JobID, client.Completed)
	c.PostItem(t, system.NewPosting("The book was good.", "a"))
	c.AwaitItems(t, "a", 1)
	folder, err := api.CreateFolder(system.Within(t), client.NewFolder{Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"", "", folder.ID} {
		node, err := api.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: "a.txt", Size: 4, ContentType: "text/plain", ParentID: parent},
			client.Source{Content: strings.NewReader("text")})
		if err == nil {
			_, err = api.WaitNode(system.Within(t), node.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	system.AfterLease()
	objects, nodes := stored(t, c), children(t, api)
	right := c.Env
	for _, variable := range []string{"ASSAY_TEXTFILE_TABLE", "ASSAY_FEED_TABLE", "ASSAY_PHOTOJOB_TABLE", "LEANDA_NODES_TABLE", "LEANDA_FILES_TABLE"} {
		c.Env = append(right[:len(right):len(right)], variable+"=wrong-"+strings.ToLower(variable))
		c.SetUp(t)
		p := system.Launch(t, "assay", c.Env, "sweep")
		if status, said := p.End(t), p.Output.String(); status != 1 || !strings.Contains(said, "so nothing was deleted") {
			t.Errorf("with a wrong %s, the sweep exited with %d, want 1 and that nothing was deleted: %s", variable, status, said)
		}
		if after := stored(t, c); !slices.Equal(after, objects) {
			t.Fatalf("with a wrong %s, the objects are %q, want %q", variable, after, objects)
		}
		if after := children(t, api); !slices.Equal(after, nodes) {
			t.Fatalf("with a wrong %s, the nodes are %q, want %q", variable, after, nodes)
		}
		c.Env = right
		if said := c.Sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			t.Errorf("with the right table, the sweep printed %s, want no findings", said)
		}
	}
}

// TestObjectOfAnotherTableIsKept: ingest does not delete an object without an item when the bucket reports it: the item
// may be in another table.
func TestObjectOfAnotherTableIsKept(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, system.NoSweep)
	c.Service(t, "ingest")
	id := uuid.NewString()
	objects := map[string]string{
		blob.Key("files/", id+"/4-0123456789abcdef0123456789abcdef"): c.Bucket,
		library.FilePrefix(id) + "upload-00":                         c.Bucket,
		blob.Key("uploads/", "01HF9GZZZZZZZZZZZZZZZZZZZZ/a.jpg"):     system.PhotoTemp,
	}
	for key, bucket := range objects {
		c.PutObject(t, bucket, key, []byte("text"))
	}
	js := c.JetStream(t)
	system.Eventually(t, func() error {
		notices, err := js.Stream(system.Within(t), "ASSAY_NOTICES")
		if err != nil {
			return err
		}
		if state := notices.CachedInfo().State; state.LastSeq < uint64(len(objects)) || state.Msgs > 0 {
			return fmt.Errorf("%d of %d notifications are waiting, want none of at least %d", state.Msgs, state.LastSeq, len(objects))
		}
		return nil
	})
	for key, bucket := range objects {
		if err := c.HeadObject(t, bucket, key); err != nil {
			t.Errorf("%s: %v, want it kept", key, err)
		}
	}
}
