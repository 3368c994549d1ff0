package recovery

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

var partsUploads = flag.Int("parts.uploads", 12, "number of concurrent multipart uploads while ingest is killed")

// abandonedUploads is the number of multipart uploads that are started and never completed.
const abandonedUploads = 3

// TestKilledIngestLosesNoUploadInParts: ingest is killed several times during many multipart uploads. Each upload ends
// once, as promised, and no upload is open after a sweep.
func TestKilledIngestLosesNoUploadInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("make uploads runs it")
	}
	t.Parallel()
	c, n := startServices(t), *partsUploads
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(n)*2*time.Second)
	defer cancel()
	api := c.Client(t, system.NewOwner())
	accepted := make(chan audit.Promise, n)
	for i := range n {
		go func() { accepted <- uploadInParts(ctx, api, i) }()
	}
	random, kills := rand.New(rand.NewPCG(system.LoadSeed(), 4)), max(3, n/25)
	var promises []audit.Promise
	for killed := 0; len(promises) < n; {
		if killed < kills && len(promises) >= killed*n/(kills+1) {
			<-time.After(time.Duration(random.IntN(200)) * time.Millisecond)
			c.running["ingest"].Kill(t)
			c.restart(t, "ingest")
			killed++
		}
		select {
		case p := <-accepted:
			promises = append(promises, p)
		case <-ctx.Done():
			t.Fatalf("%d uploads were accepted, want %d: %v", len(promises), n, ctx.Err())
		}
	}
	for i := range abandonedUploads {
		f, err := api.Reserve(ctx, client.Reservation{FileName: fmt.Sprint(i), Size: 1, Parts: true})
		if err != nil {
			t.Fatal(err)
		}
		promises = append(promises, audit.Promise{Run: "abandoned", Area: textfile.Name, ID: f.FileID, End: audit.Gone})
	}
	c.Env = append(c.Env, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	system.AfterLease()
	if said := c.Sweep(t); strings.Count(said, "abandoned_upload") < abandonedUploads {
		t.Errorf("the sweep printed %s, want at least %d abandoned uploads", said, abandonedUploads)
	}
	open, err := c.Objects().ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &c.Bucket})
	if err != nil || len(open.Uploads) > 0 {
		t.Errorf("%d uploads are open after the sweep, %v; want 0", len(open.Uploads), err)
	}
	c.Audit(ctx, t, promises)
}

// uploadInParts retries a multipart upload of a text until it is accepted: every eighth upload has two parts and
// the others have one; every second upload goes to the library.
func uploadInParts(ctx context.Context, c *client.Client, i int) audit.Promise {
	size := int64(0)
	if i%8 == 0 {
		size = 17 << 20
	}
	text, name := system.Repeat(uint64(i), size), fmt.Sprint(i, ".txt")
	src := text.InParts(name, fmt.Sprint("upload ", i))
	p := audit.Promise{Run: "in parts", Area: textfile.Name, Result: system.JSON(text.Count())}
	if i%2 == 1 {
		p.Area, p.Result = library.Name, "Processed /"+name
	}
	for ctx.Err() == nil {
		var err error
		if p.Area == library.Name {
			var node client.Node
			node, err = c.UploadLibraryFile(ctx, client.NewLibraryFile{Name: name, Size: src.Size, ContentType: src.ContentType, Parts: true, Key: src.Key}, src)
			p.ID = node.ID
		} else {
			var file client.File
			file, err = c.Upload(ctx, src)
			p.ID = file.FileID
		}
		if err == nil {
			p.At = time.Now()
			return p
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	return p
}
