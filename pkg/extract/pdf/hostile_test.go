package pdf_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var mutations = flag.Int("mutations", 60, "number of mutated documents that TestHostileDocuments reads")

// TestHostileDocuments reads truncated and mutated documents. It checks that each one returns a result or an error with
// a reason, and that the next document is read normally.
func TestHostileDocuments(t *testing.T) {
	good := wasmtest.PDF{Title: "On Foxes", Pages: []string{"The quick brown fox", "jumps"}, Fields: map[string]string{"a": "b"}, Forms: []string{"0 0 9 9 re f"}}
	want, err := read(t, good.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 20))
	ends := map[string]int{}
	for n := range *mutations {
		data := good.Bytes()
		if n%3 == 0 {
			data = data[:rng.IntN(len(data))]
		}
		for range rng.IntN(20) {
			if len(data) > 0 {
				data[rng.IntN(len(data))] = byte(rng.IntN(256))
			}
		}
		_, err := read(t, data)
		ends[reason(t, err)]++
		if n%20 != 0 {
			continue
		}
		if got, err := read(t, good.Bytes()); err != nil || got != want {
			t.Fatalf("after mutation %d: got %q, error %v, want %q", n, got, err, want)
		}
	}
	t.Log(ends)
	if ends["read"] == 0 || ends["damaged"] == 0 {
		t.Errorf("got %v, want some documents that are read and some that are damaged", ends)
	}
}

// read performs every operation on a document.
func read(t *testing.T, data []byte) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d, err := open(ctx, data)
	if err != nil {
		return "", err
	}
	text, err := d.Text(pdf.TextLimits{})
	if err == nil {
		_, err = d.Metadata()
	}
	if err == nil {
		_, err = d.Picture(0, 100)
	}
	return text.Text, errors.Join(err, d.Close())
}

func reason(t *testing.T, err error) string {
	for name, target := range map[string]error{
		"damaged": pdf.ErrDamaged, "locked": pdf.ErrLocked, "page": pdf.ErrPage,
		"crashed": wasm.ErrCrashed, "memory": wasm.ErrMemory, "time": context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return name
		}
	}
	if err != nil {
		t.Errorf("got error %v, want one with a known reason", err)
	}
	return "read"
}
