package library_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/library"
)

// TestPositions: each page of a result has the positions that were added, and others have none.
func TestPositions(t *testing.T) {
	if empty, err := library.NewPositionsWriter().Bytes(); empty != nil || err != nil {
		t.Errorf("got %d bytes, error %v, want none without pages", len(empty), err)
	}
	page := func(word string) library.Positions {
		return library.Positions{Width: 612, Height: 792, Words: []library.PlacedWords{{Text: word + " ", Box: &[4]int{1, 2, 3, 4}}, {Text: "a note"}}}
	}
	w := library.NewPositionsWriter()
	w.Add(1, page("first"))
	w.Add(3, page(strings.Repeat("third", 1000)))
	result, err := w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for number, want := range map[int]*library.Positions{1: new(page("first")), 2: nil, 3: new(page(strings.Repeat("third", 1000)))} {
		got, found, err := library.ReadPositions(bytes.NewReader(result), int64(len(result)), number)
		if err != nil || found != (want != nil) || found && !reflect.DeepEqual(got, *want) {
			t.Errorf("page %d: got %+v, found %v, error %v, want %+v", number, got, found, err, want)
		}
	}
	if _, _, err := library.ReadPositions(strings.NewReader("damaged"), 7, 1); err == nil {
		t.Error("got no error for a damaged result")
	}
}
