package main

import (
	"bytes"
	"os"
	"testing"
)

func TestAssemblyIsUpToDate(t *testing.T) {
	want, err := transforms()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../" + output)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run make gen. Want:\n%s", output, want)
	}
}
