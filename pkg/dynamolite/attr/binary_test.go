package attr

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestStoredItemRoundTripsAndIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := genItem(3).Draw(t, "item")
		stored := EncodeItem(nil, it)
		got, err := DecodeItem(stored)
		if err != nil || !got.Equal(it) {
			t.Fatalf("got %s, error %v, want %s", got.AppendJSON(nil), err, it.AppendJSON(nil))
		}
		if !bytes.Equal(EncodeItem(nil, got), stored) {
			t.Fatalf("%s: got another encoding after decoding, want the same one", it.AppendJSON(nil))
		}
		text, size, err := AppendStored([]byte("["), stored)
		if err != nil || string(text) != "["+string(it.AppendJSON(nil)) || size != Size(it) {
			t.Fatalf("AppendStored returned %s of size %d, error %v, want %s of size %d", text, size, err, it.AppendJSON(nil), Size(it))
		}
	})
}

func TestTruncatedStoredItemIsCorrupt(t *testing.T) {
	stored := EncodeItem(nil, Item{
		{"a", Map(Item{{"b", Bool(true)}, {"n", Num(mustNumber("-1.5E-100"))}})},
		{"l", List(String("x"), Null(), Set(NS, []Value{Num(NumberOf(2)), Num(NumberOf(1))}))},
	})
	for n := range stored {
		if _, err := DecodeItem(stored[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("first %d of %d bytes: got error %v, want ErrCorrupt", n, len(stored), err)
		}
		if _, _, err := AppendStored(nil, stored[:n]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("JSON of the first %d of %d bytes: got error %v, want ErrCorrupt", n, len(stored), err)
		}
	}
	if _, err := DecodeItem(append(stored, 0)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("with a trailing byte: got error %v, want ErrCorrupt", err)
	}
}

func FuzzDecodeItem(f *testing.F) {
	f.Add(EncodeItem(nil, Item{{"a", List(Map(Item{{"b", Num(NumberOf(7))}}))}, {"s", Set(SS, []Value{String("x")})}}))
	f.Add([]byte{1, 0, byte(L), 0xFF, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := DecodeItem(b); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
	})
}

func TestItemSizeMatchesAWS(t *testing.T) {
	number := func(s string) Value { return Num(mustNumber(s)) }
	for _, tc := range []struct {
		value Value
		want  int
	}{
		{String("é"), 2},
		{String(""), 0},
		{Binary(make([]byte, 5)), 5},
		{Null(), 1},
		{Bool(true), 1},
		{number("0"), 1},
		{number("42"), 2},
		{number("-42"), 3},
		{number("100"), 2},
		{number("12345"), 4},
		{number("1.5"), 3},
		{List(), 3},
		{List(String("ab"), Null()), 3 + 2 + 2 + 1},
		{Map(Item{{"k", String("ab")}}), 3 + 1 + 1 + 2},
		{Set(SS, []Value{String("ab"), String("c")}), 3},
	} {
		if got := Size(Item{{"name", tc.value}}); got != 4+tc.want {
			t.Errorf("%s: got size %d, want %d", tc.value.AppendJSON(nil), got, 4+tc.want)
		}
	}
}
