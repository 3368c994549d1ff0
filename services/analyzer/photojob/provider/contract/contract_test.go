package contract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"image"
	_ "image/png" // format of the responses
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden requests")

// sameRequests checks that two requests have the same bytes, except for trailing white space, and
// equal the golden file that the tests of the adapter read.
func sameRequests(t *testing.T, golden string, requests [][]byte) {
	t.Helper()
	if len(requests) != 2 {
		t.Fatalf("got %d requests, want 2", len(requests))
	}
	sent := bytes.TrimSpace(requests[0])
	if other := bytes.TrimSpace(requests[1]); !bytes.Equal(sent, other) {
		t.Errorf("got request of the adapter\n%s\nwant that of the SDK\n%s", other, sent)
	}
	if *update {
		if err := os.WriteFile(golden, append(sent, '\n'), 0o644); err != nil { //nolint:gosec // the file is committed
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(sent, bytes.TrimSpace(want)) {
		t.Errorf("got request\n%s\nwant that in %s (update it with go test -update): %v", sent, golden, err)
	}
}

// prompted returns the prompt in a request.
func prompted(t *testing.T, request []byte) string {
	t.Helper()
	var read struct {
		Contents []struct{ Parts []struct{ Text string } }
	}
	if err := json.Unmarshal(request, &read); err != nil {
		t.Fatal(err)
	}
	return read.Contents[0].Parts[0].Text
}

// samePixels checks that two pictures look the same.
func samePixels(t *testing.T, a, b []byte) {
	t.Helper()
	first, _, err := image.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if first.Bounds() != second.Bounds() {
		t.Fatalf("got pictures with bounds %v and %v, want equal bounds", first.Bounds(), second.Bounds())
	}
	for y := first.Bounds().Min.Y; y < first.Bounds().Max.Y; y++ {
		for x := first.Bounds().Min.X; x < first.Bounds().Max.X; x++ {
			r1, g1, b1, _ := first.At(x, y).RGBA()
			r2, g2, b2, _ := second.At(x, y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 {
				t.Fatalf("the pictures differ at (%d, %d), want equal pixels", x, y)
			}
		}
	}
}
