package attr

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeyEncodingPreservesOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := genKeyKind.Draw(t, "kind")
		a, b := genKeyOf(kind).Draw(t, "a"), genKeyOf(kind).Draw(t, "b")
		want, _ := Compare(a, b)
		if got := bytes.Compare(AppendKey(nil, a), AppendKey(nil, b)); got != want {
			t.Fatalf("order of the encodings of %s and %s: got %d, want %d", a.AppendJSON(nil), b.AppendJSON(nil), got, want)
		}
	})
}

func TestCompositeKeyOrdersByPartitionThenSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pk, sk := genKeyOf(genKeyKind.Draw(t, "pk kind")), genKeyOf(genKeyKind.Draw(t, "sk kind"))
		p1, s1 := pk.Draw(t, "p1"), sk.Draw(t, "s1")
		p2, s2 := pk.Draw(t, "p2"), sk.Draw(t, "s2")
		want, _ := Compare(p1, p2)
		if want == 0 {
			want, _ = Compare(s1, s2)
		}
		k1, k2 := AppendKey(AppendKey(nil, p1), s1), AppendKey(AppendKey(nil, p2), s2)
		if got := bytes.Compare(k1, k2); got != want {
			t.Fatalf("order of %x and %x: got %d, want %d", k1, k2, got, want)
		}
		gotP, rest, err := DecodeKey(k1)
		if err != nil || !gotP.Equal(p1) {
			t.Fatalf("partition key of %x: got %v, error %v, want %v", k1, gotP, err, p1)
		}
		gotS, rest, err := DecodeKey(rest)
		if err != nil || !gotS.Equal(s1) || len(rest) != 0 {
			t.Fatalf("sort key of %x: got %v, rest %x, error %v, want %v and no rest", k1, gotS, rest, err, s1)
		}
	})
}

func TestPrefixRangeContainsExactlyTheKeysWithThePrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{S, B}).Draw(t, "kind")
		partition := AppendKey(nil, genKeyOf(genKeyKind.Draw(t, "pk kind")).Draw(t, "pk"))
		prefix, v := genKeyOf(kind).Draw(t, "prefix"), genKeyOf(kind).Draw(t, "value")
		low := AppendKeyPrefix(bytes.Clone(partition), prefix)
		high := PrefixEnd(low)
		key := AppendKey(bytes.Clone(partition), v)
		in := bytes.Compare(low, key) <= 0 && bytes.Compare(key, high) < 0
		if want := strings.HasPrefix(v.Str, prefix.Str); in != want {
			t.Fatalf("%q in the range of prefix %q: got %t, want %t", v.Str, prefix.Str, in, want)
		}
	})
}

func TestPrefixEnd(t *testing.T) {
	for _, tc := range []struct{ prefix, want []byte }{
		{[]byte{1, 2}, []byte{1, 3}},
		{[]byte{1, 0xFF}, []byte{2}},
		{[]byte{0xFF, 0xFF}, nil},
		{nil, nil},
	} {
		if got := PrefixEnd(tc.prefix); !bytes.Equal(got, tc.want) {
			t.Errorf("PrefixEnd(%x) = %x, want %x", tc.prefix, got, tc.want)
		}
	}
}

func FuzzKey(f *testing.F) {
	for _, text := range []string{"0", "-1", "12345", "1E-130", "-9.9E125"} {
		f.Add(AppendKey(nil, Num(mustNumber(text))))
	}
	f.Add(AppendKey(nil, String("a\x00b")))
	f.Add(AppendKey(AppendKey(nil, Binary([]byte{0, 0xFF})), String("")))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, err := DecodeKey(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if again := AppendKey(nil, v); !bytes.Equal(again, b[:len(b)-len(rest)]) {
			t.Fatalf("encoding of %s: got %x, want %x, from which it was decoded", v.AppendJSON(nil), again, b[:len(b)-len(rest)])
		}
	})
}
