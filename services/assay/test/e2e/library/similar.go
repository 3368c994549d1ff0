package library

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// copiesAreFound: the copies of a picture in the library of its owner are found, files with the same bytes first, and only
// by callers that may read them.
func copiesAreFound(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c, stranger := s.Client(t, owner), s.Client(t, system.NewOwner())
	jpegOf := func(m image.Image, quality int) string {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var other bytes.Buffer
	if err := png.Encode(&other, scene.New(320, 240, 5)); err != nil {
		t.Fatal(err)
	}
	picture := scene.New(320, 240, 4)
	first := file(t, c, "first.jpg", "", jpegOf(picture, 90))
	smaller := file(t, c, "worse.jpg", "", jpegOf(picture, 40))
	same := file(t, c, "same.jpg", "", jpegOf(picture, 90))
	file(t, c, "other.png", "", other.String())
	file(t, stranger, "of a stranger.jpg", "", jpegOf(picture, 90))

	find := func(c *client.Client, id string) []client.SimilarFile {
		t.Helper()
		list, err := c.SimilarFiles(system.Within(t), client.Reading{}, id, 10, client.NodeVersion(same))
		if err != nil || list.Incomplete {
			t.Fatalf("the search for similar pictures returned %+v, %v", list, err)
		}
		return list.Files
	}
	found := find(c, first.ID)
	if len(found) != 2 || found[0].Node.ID != same.ID || !found[0].Identical || found[1].Node.ID != smaller.ID || found[1].Identical {
		t.Errorf("the similar pictures are %s, want the identical one and the one of lower quality", system.JSON(found))
	}
	text := file(t, c, "text.txt", "", "no picture")
	if found := find(c, text.ID); len(found) != 0 {
		t.Errorf("pictures similar to a text are %s, want none", system.JSON(found))
	}
	if _, err := stranger.SimilarFiles(system.Within(t), client.Reading{}, first.ID, 10, ""); !system.IsProblem(err, 404) {
		t.Errorf("a stranger's search returned %v, want 404", err)
	}
}
