package sending

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// onlyReadersSend: for who may not read an item, it does not exist. Without authentication, a text file can be read by
// everyone who knows its id.
func onlyReadersSend(t *testing.T, s system.System) {
	owner, stranger := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	picture := string(system.DrawPhoto(t, 5))
	for _, to := range []string{client.TextFileArea, client.PhotoArea, client.LibraryArea} {
		refused(t, stranger, photo(t, owner, []byte(picture)), client.Sending{To: to}, http.StatusNotFound, "not-found")
		refused(t, stranger, file(t, owner, "a.jpg", "", picture), client.Sending{To: to}, http.StatusNotFound, "not-found")
	}
	known := text(t, owner, "a.txt", "text/plain", "a b c")
	mine := send(t, stranger, known, client.Sending{To: client.LibraryArea})
	mine.wantEnd(t, stranger, "a.txt", client.LibraryProcessed, "a b c")
	if _, err := owner.Node(system.Within(t), mine.id, client.Reading{}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the owner of the first item reads the new one with %v, want 404", err)
	}
	folder, err := owner.CreateFolder(system.Within(t), client.NewFolder{Name: "folder"})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, stranger, known, client.Sending{To: client.LibraryArea, ParentID: folder.ID}, http.StatusNotFound, "not-found")
}

// sharedFilesAreSent: a public file, and one to which the caller has a link, become items of the caller.
func sharedFilesAreSent(t *testing.T, s system.System) {
	owner, reader := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	folders := map[string]string{}
	for _, name := range []string{"public", "linked"} {
		folder, err := owner.CreateFolder(system.Within(t), client.NewFolder{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		folders[name] = folder.ID
	}
	if err := owner.PublishNode(system.Within(t), folders["public"], true); err != nil {
		t.Fatal(err)
	}
	link, err := owner.CreateLink(system.Within(t), folders["linked"], time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	public, linked := file(t, owner, "public.txt", folders["public"], "public text"), file(t, owner, "linked.txt", folders["linked"], "linked text")
	public.ended(t, owner)
	linked.ended(t, owner)
	for _, to := range []string{client.TextFileArea, client.LibraryArea} {
		send(t, reader, public, client.Sending{To: to}).wantEnd(t, reader, "public.txt", ended[to], "public text")
		refused(t, reader, linked, client.Sending{To: to}, http.StatusNotFound, "not-found")
		refused(t, reader, linked, client.Sending{To: to, Link: "forged"}, http.StatusNotFound, "link-not-valid")
		send(t, reader, linked, client.Sending{To: to, Link: link.Token}).wantEnd(t, reader, "linked.txt", ended[to], "linked text")
	}
	if err := owner.PublishNode(system.Within(t), folders["public"], false); err != nil {
		t.Fatal(err)
	}
	refused(t, reader, public, client.Sending{To: client.LibraryArea}, http.StatusNotFound, "not-found")
}

// ended are the states of processed texts by area.
var ended = map[string]string{client.TextFileArea: client.Completed, client.LibraryArea: client.LibraryProcessed}
