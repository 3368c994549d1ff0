package sending

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// missingContentIsExplained: content that was not uploaded yet, or was removed, is not sent, and no item is created.
func missingContentIsExplained(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	reserved := system.Reserve(t, c, "a.txt", "text/plain", "abc")
	waiting, err := c.ReservePhoto(system.Within(t), system.PhotoSource("a.jpg", "", system.DrawPhoto(t, 6)).PhotoReservation, client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	loading, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "a.txt", Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "folder"})
	if err != nil {
		t.Fatal(err)
	}
	lost := photo(t, c, system.DrawPhoto(t, 7))
	lost.ended(t, c)
	for _, key := range s.PhotoKeys(t, lost.id)[system.PhotoTemp] {
		s.RemoveObject(t, system.PhotoTemp, key)
	}
	emptied := text(t, c, "c.txt", "text/plain", "abc")
	emptied.ended(t, c)
	removed := file(t, c, "b.txt", "", "abc")
	removed.ended(t, c)
	for _, key := range s.Keys(t) {
		if strings.Contains(key, removed.id+"/upload-") || strings.Contains(key, emptied.id+"/") {
			s.RemoveObject(t, s.Bucket, key)
		}
	}
	failed := photo(t, c, []byte("no photo"))
	failed.ended(t, c)
	for _, to := range []string{client.TextFileArea, client.PhotoArea, client.LibraryArea} {
		conflict := http.StatusConflict
		refused(t, c, item{client.TextFileArea, reserved.FileID}, client.Sending{To: to}, conflict, "not-uploaded")
		refused(t, c, item{client.PhotoArea, waiting.JobID}, client.Sending{To: to}, conflict, "not-uploaded")
		refused(t, c, item{client.LibraryArea, loading.ID}, client.Sending{To: to}, conflict, "not-uploaded")
		refused(t, c, item{client.LibraryArea, folder.ID}, client.Sending{To: to}, conflict, "not-a-file")
		refused(t, c, failed, client.Sending{To: to, Content: client.ResultContent}, conflict, "not-completed")
		refused(t, c, lost, client.Sending{To: to}, http.StatusGone, "upload-removed")
		refused(t, c, emptied, client.Sending{To: to}, http.StatusGone, "content-removed")
		refused(t, c, removed, client.Sending{To: to}, http.StatusGone, "content-removed")
	}
	files, err := c.ListPage(system.Within(t), client.Listing{})
	if err != nil || len(files.Files) != 2 {
		t.Errorf("got %+v, %v; want only the two text files", files, err)
	}
	photos, err := c.ListPhotosPage(system.Within(t), client.Listing{})
	if err != nil || len(photos.Photos) != 3 {
		t.Errorf("got %+v, %v; want only the three photos", photos, err)
	}
}

// areasCheck: an area refuses content and terms that it refuses as an upload, with the same problems.
func areasCheck(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	pdf, empty := text(t, c, "a.pdf", "application/pdf", "%PDF-1.7\n"), text(t, c, "empty.jpg", "image/jpeg", "")
	large := text(t, c, "large.jpg", "image/jpeg", string(system.DrawPhoto(t, 8))+strings.Repeat("\x00", 20_000_000))
	to := client.Sending{To: client.PhotoArea}
	refused(t, c, pdf, to, http.StatusUnsupportedMediaType, "not-a-photo")
	refused(t, c, empty, to, http.StatusUnprocessableEntity, "file-empty")
	refused(t, c, large, to, http.StatusRequestEntityTooLarge, "file-too-large")
	send(t, c, empty, client.Sending{To: client.TextFileArea}).wantEnd(t, c, "empty.jpg", client.Completed, "")
	send(t, c, empty, client.Sending{To: client.LibraryArea}).ended(t, c)

	real := photo(t, c, system.DrawPhoto(t, 9))
	to.Options = client.PhotoOptions{Provider: "gemini"}
	refused(t, c, real, to, http.StatusConflict, "provider-disabled")
	to.Options = client.PhotoOptions{Quality: 101}
	refused(t, c, real, to, http.StatusUnprocessableEntity, "invalid-request")
	trashed, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "trashed"})
	if err == nil {
		err = c.TrashNode(system.Within(t), trashed.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	refused(t, c, real, client.Sending{To: client.LibraryArea, ParentID: trashed.ID}, http.StatusConflict, "in-trash")
	refused(t, c, real, client.Sending{To: client.LibraryArea, Name: "a/b"}, http.StatusUnprocessableEntity, "invalid-request")
	refused(t, c, real, client.Sending{To: client.LibraryArea, Options: client.ReadOptions{Charset: "klingon"}}, http.StatusUnprocessableEntity, "invalid-request")
	refused(t, c, real, client.Sending{To: client.PhotoArea, Name: strings.Repeat("n", 256)}, http.StatusUnprocessableEntity, "invalid-request")
	refused(t, c, real, client.Sending{To: client.TextFileArea, Name: "a\u202eb"}, http.StatusUnprocessableEntity, "invalid-request")
}

// unknownFieldsAreRejected: fields that the target does not use are rejected rather than ignored, and so are unknown areas.
func unknownFieldsAreRejected(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	from := text(t, c, "a.txt", "text/plain", "abc")
	const folder = "01a205ce-cb6c-7d91-8be8-2d36ba6eb30e"
	for _, wrong := range []client.Sending{
		{To: "nowhere"}, {To: "feed"},
		{To: client.TextFileArea, ParentID: folder}, {To: client.TextFileArea, Prompt: "sepia"},
		{To: client.TextFileArea, Options: client.ReadOptions{Charset: "latin1"}},
		{To: client.LibraryArea, Prompt: "sepia"}, {To: client.LibraryArea, Options: map[string]any{"width": 5}},
		{To: client.LibraryArea, Options: []int{1}}, {To: client.LibraryArea, Content: client.ResultContent},
	} {
		refused(t, c, from, wrong, http.StatusUnprocessableEntity, "invalid-request")
	}
	refused(t, c, item{"nowhere", from.id}, client.Sending{To: client.LibraryArea}, http.StatusNotFound, "not-found")
	refused(t, c, item{"feed", from.id}, client.Sending{To: client.LibraryArea}, http.StatusNotFound, "not-found")
	refused(t, c, item{client.TextFileArea, "x"}, client.Sending{To: client.LibraryArea}, http.StatusNotFound, "not-found")
	refused(t, c, item{client.LibraryArea, "x"}, client.Sending{To: client.TextFileArea}, http.StatusNotFound, "not-found")
	refused(t, c, item{client.PhotoArea, "x"}, client.Sending{To: client.TextFileArea}, http.StatusNotFound, "not-found")
}
