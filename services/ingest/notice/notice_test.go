package notice

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/blob"
)

// TestNotificationFormats parses notifications about the same object in the forms that AWS and versitygw
// send.
func TestNotificationFormats(t *testing.T) {
	want := blob.Object{Bucket: "assay-files", Key: "files/01a1fe9d-1a39-7773-8a72-e7b218b3ee0f/11-58606f46b1c0fcee26ea3448000ea290"}
	paths, err := filepath.Glob("testdata/notices/*.json")
	if err != nil || len(paths) < 9 {
		t.Fatalf("got %d notifications, error %v, want at least 9", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if objects, err := created(data); err != nil || len(objects) != 1 || !reflect.DeepEqual(objects[0], want) {
			t.Errorf("%s: got objects %+v, error %v, want %+v", path, objects, err, want)
		}
		// Notifications of other events have no created objects.
		other := strings.NewReplacer("ObjectCreated:Put", "ObjectRemoved:Delete", "ObjectCreated:Complete", "ObjectRestore:Complete",
			"Object Created", "Object Deleted").Replace(string(data))
		if objects, err := created([]byte(other)); err != nil || len(objects) != 0 {
			t.Errorf("%s about another event: got objects %+v, error %v, want none", path, objects, err)
		}
	}
}

func TestNotificationsWithoutObjects(t *testing.T) {
	for notice, broken := range map[string]bool{
		`{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"assay-files"}`: false,
		`{}`:                        false,
		`{"Records":[]}`:            false,
		`{"Body":"not JSON"}`:       true,
		`not JSON`:                  true,
		strings.Repeat(`[`, 20_000): true,
		`{"Body":"{\"Body\":\"{\\\"Body\\\":\\\"{\\\\\\\"Body\\\\\\\":\\\\\\\"{}\\\\\\\"}\\\"}\"}"}`: true,
	} {
		if objects, err := created([]byte(notice)); len(objects) != 0 || (err != nil) != broken {
			t.Errorf("%.60s: got objects %+v, error %v, want no objects, error = %t", notice, objects, err, broken)
		}
	}
}

// TestNotificationWithSeveralObjects checks that keys are decoded as form values in S3 records, but not
// in EventBridge events.
func TestNotificationWithSeveralObjects(t *testing.T) {
	record := func(event, key string) string {
		return `{"eventName":"` + event + `","s3":{"object":{"key":"` + key + `"}}}`
	}
	several := `{"Records":[` + record("ObjectCreated:Put", "files%2Fa+b%2B") + `,` + record("ObjectRemoved:Delete", "gone") + `,` + record("s3:ObjectCreated:Copy", "c") + `]}`
	for notice, want := range map[string][]string{
		several:                            {"files/a b+", "c"},
		`{"Body":` + quoted(several) + `}`: {"files/a b+", "c"},
		`{"detail-type":"Object Created","detail":{"object":{"key":"files%2Fa+b"}}}`: {"files%2Fa+b"},
	} {
		objects, err := created([]byte(notice))
		var keys []string
		for _, object := range objects {
			keys = append(keys, object.Key)
		}
		if err != nil || !slices.Equal(keys, want) {
			t.Errorf("%s: got keys %q, error %v, want %q", notice, keys, err, want)
		}
	}
}

// quoted returns a text as a JSON string.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// TestPublishedNotification checks that the output of Publish has an accepted form.
func TestPublishedNotification(t *testing.T) {
	object := blob.Object{Bucket: "b", Key: "files/a/1-2", ETag: "e", Size: 1}
	data, err := encode(object)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := created(data)
	if err != nil || len(objects) != 1 || !reflect.DeepEqual(objects[0], blob.Object{Bucket: "b", Key: "files/a/1-2"}) {
		t.Errorf("%s: got objects %+v, error %v, want the bucket and the key of %+v", data, objects, err, object)
	}
}
