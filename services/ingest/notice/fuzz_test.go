package notice

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/blob"
)

// FuzzCreated parses arbitrary messages. It also checks that the notification for any object key of
// Assay is parsed as that key.
func FuzzCreated(f *testing.F) {
	samples, err := filepath.Glob("testdata/notices/*")
	if err != nil || len(samples) == 0 {
		f.Fatalf("got %d samples, error %v, want at least one", len(samples), err)
	}
	for _, sample := range samples {
		data, err := os.ReadFile(sample)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"Message":"{\"Message\":\"{}\"}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if objects, err := created(data); err != nil && len(objects) > 0 {
			t.Fatalf("got objects %v and error %v, want only one of them", objects, err)
		}
		key := blob.Key("files/", hex.EncodeToString(data))
		notice, err := encode(blob.Object{Bucket: "b", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := created(notice); err != nil || len(got) != 1 || got[0].Bucket != "b" || got[0].Key != key {
			t.Fatalf("notification for %q: got objects %v, error %v, want that object", key, got, err)
		}
	})
}
