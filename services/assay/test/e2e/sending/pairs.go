package sending

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// everyAreaSendsToEveryArea: an item is processed in the area that it is sent to, with the same bytes, and is independent of
// the first one. What an area refuses as an upload, it refuses here.
func everyAreaSendsToEveryArea(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	poem, picture := words(7), string(system.DrawPhoto(t, 1))
	for _, from := range []struct {
		item
		content, name string
		picture       bool
	}{
		{text(t, c, "poem.txt", "text/plain", poem), poem, "poem.txt", false},
		{text(t, c, "picture.jpg", "", picture), picture, "picture.jpg", true}, // a FAILED text file
		{photo(t, c, []byte(picture)), picture, "a photo.jpg", true},
		{file(t, c, "poem.txt", "", poem), poem, "poem.txt", false},
		{file(t, c, "picture.jpg", "", picture), picture, "picture.jpg", true},
	} {
		from.ended(t, c)
		ends := map[string]string{client.TextFileArea: client.Completed, client.LibraryArea: client.LibraryProcessed, client.PhotoArea: ""}
		if from.picture {
			ends[client.TextFileArea], ends[client.PhotoArea] = client.Failed, client.Completed
		}
		var sent []item
		for to, state := range ends {
			if state == "" {
				refused(t, c, from.item, client.Sending{To: to}, http.StatusUnsupportedMediaType, "not-a-photo")
				continue
			}
			made := send(t, c, from.item, client.Sending{To: to})
			made.wantEnd(t, c, from.name, state, from.content)
			sent = append(sent, made)
		}
		from.delete(t, c)
		for _, made := range sent {
			made.wantEnd(t, c, from.name, ends[made.area], from.content)
		}
	}
}

// editedPhotosAreSent: the result of an edit is sent under the name of the original with the ending of the new format.
func editedPhotosAreSent(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	job, err := c.UploadPhoto(system.Within(t), system.PhotoSource("portrait.jpg", "resize 40, as png", system.DrawPhoto(t, 2)), client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	system.AwaitPhoto(t, c, job.JobID, client.Completed)
	edited := string(system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto))
	from, of := item{client.PhotoArea, job.JobID}, client.Sending{Content: client.ResultContent}
	for to, state := range map[string]string{client.PhotoArea: client.Completed, client.LibraryArea: client.LibraryProcessed} {
		of.To = to
		send(t, c, from, of).wantEnd(t, c, "portrait.png", state, edited)
	}
	for _, key := range s.PhotoKeys(t, job.JobID)[system.PhotoFinal] {
		s.RemoveObject(t, system.PhotoFinal, key)
	}
	refused(t, c, from, of, http.StatusGone, "photo-removed")
}

// charsetsAreKept: a text is read in the charset that was stated for it, also in another area.
func charsetsAreKept(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	const stated, bytes = "text/plain; charset=windows-1252", "Gr\xC3\xB6 GET /index 200 OK Gr\xF6\xDFe"
	from := text(t, c, "german.txt", stated, bytes)
	first := send(t, c, from, client.Sending{To: client.LibraryArea})
	first.ended(t, c)
	again := send(t, c, first, client.Sending{To: client.TextFileArea})
	counted, err := c.Wait(system.Within(t), again.id)
	if err != nil || counted.Result == nil || counted.Result.Charset != "windows-1252" || counted.Result.CharsetSource != "declared" {
		t.Errorf("got %s, %v; want the charset windows-1252 as declared", system.JSON(counted), err)
	}
	library := file(t, c, "german.txt", "", bytes)
	library.ended(t, c)
	library = send(t, c, library, client.Sending{To: client.LibraryArea, Options: client.ReadOptions{Charset: "windows-1252"}})
	library.ended(t, c)
	again = send(t, c, library, client.Sending{To: client.TextFileArea})
	counted, err = c.Wait(system.Within(t), again.id)
	if err != nil || counted.Result == nil || counted.Result.Charset != "windows-1252" || counted.Result.CharsetSource != "declared" {
		t.Errorf("got %s, %v; want the charset that the options state", system.JSON(counted), err)
	}
}

// termsApply: the new item has the name, the folder, the prompt and the options of the request, and a name that its area
// accepts by default.
func termsApply(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	folder, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "folder"})
	if err != nil {
		t.Fatal(err)
	}
	odd := text(t, c, "a/b: \"c\".csv", "text/csv", "1;2\n3;4\n")
	plain := send(t, c, odd, client.Sending{To: client.LibraryArea, ParentID: folder.ID, Options: client.ReadOptions{Header: "no", Delimiter: ";"}})
	n, err := c.WaitNode(system.Within(t), plain.id)
	if err != nil || n.Name != "a_b_ _c_.csv" || n.ParentID != folder.ID || n.TotalRecords != 2 {
		t.Errorf("got %+v, %v; want a_b_ _c_.csv in the folder, with 2 records", n, err)
	}
	named := send(t, c, plain, client.Sending{To: client.TextFileArea, Name: "other: name"})
	if name, _ := named.ended(t, c); name != "other: name" {
		t.Errorf("the name is %q, want that of the request", name)
	}
	long := text(t, c, strings.Repeat("n", 300)+".jpg", "", string(system.DrawPhoto(t, 3)))
	edited := send(t, c, long, client.Sending{
		To: client.PhotoArea, Prompt: "grayscale", Options: client.PhotoOptions{Operations: []operation.Step{{Op: operation.Resize, Width: 32}}},
	})
	p := system.AwaitPhoto(t, c, edited.id, client.Completed)
	if p.OriginalFileName != strings.Repeat("n", 251)+".jpg" || p.Prompt != "grayscale" || p.EditResult.Width != 32 {
		t.Errorf("got %s, want the shortened name, the prompt and a width of 32", system.JSON(p))
	}
}
