package dashboard

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"
)

// A bucket's own encoding is that of encoding/json.
func TestBucketJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 1000 {
		b := Bucket{
			Start:           time.Unix(random.Int64N(4e9), 0).UTC().Truncate(time.Minute),
			Counts:          Counts{random.IntN(3), random.IntN(1e6), random.IntN(1e9)},
			AverageCompound: float64(random.IntN(20001)-10000) / 1e4,
		}
		want, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.AppendJSON(nil); string(got) != string(want) {
			t.Fatalf("%+v is written %s, want %s", b, got, want)
		}
	}
}
