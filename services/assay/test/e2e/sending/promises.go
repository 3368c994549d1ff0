// Package sending proves that the content of an item can be sent to each area without another upload, by those who may read
// it, and that each area checks what is sent to it like an upload.
package sending

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"send: every area sends to every area":          everyAreaSendsToEveryArea,
		"send: edited photos are sent":                  editedPhotosAreSent,
		"send: charsets are kept":                       charsetsAreKept,
		"send: folders, names and options apply":        termsApply,
		"send: repeated requests return the first item": repeatsReturnTheFirstItem,
		"send: concurrent deletes leave nothing":        concurrentDeletesLeaveNothing,
		"send: only readers send":                       onlyReadersSend,
		"send: shared files are sent":                   sharedFilesAreSent,
		"send: missing content is explained":            missingContentIsExplained,
		"send: areas check what they get":               areasCheck,
		"send: unknown fields are rejected":             unknownFieldsAreRejected,
	}
}

// item is an item of any area.
type item struct{ area, id string }

// send sends an item and returns the new one.
func send(t *testing.T, c *client.Client, from item, s client.Sending) item {
	t.Helper()
	sent, err := c.Send(system.Within(t), from.area, from.id, s)
	if err != nil {
		t.Fatalf("send %+v to %s: %v", from, s.To, err)
	}
	if sent.Area != s.To || sent.ID == from.id {
		t.Fatalf("send %+v to %s: got %+v, want another item of that area", from, s.To, sent)
	}
	return item{sent.Area, sent.ID}
}

// refused checks that an item is not sent, with a problem.
func refused(t *testing.T, c *client.Client, from item, s client.Sending, status int, slug string) {
	t.Helper()
	sent, err := c.Send(system.Within(t), from.area, from.id, s)
	problem, ok := errors.AsType[*client.Problem](err)
	if !ok || problem.Status != status || problem.Type != "urn:assay:problem:"+slug {
		t.Errorf("send %+v with %+v: got %+v, %v; want %d %s", from, s, sent, err, status, slug)
	}
}

// content returns the original content of an item.
func (i item) content(t *testing.T, c *client.Client) string {
	t.Helper()
	read := func() (io.ReadCloser, error) {
		switch i.area {
		case client.TextFileArea:
			return c.Content(system.Within(t), i.id)
		case client.PhotoArea:
			return c.DownloadPhoto(system.Within(t), i.id, client.OriginalPhoto)
		}
		return c.NodeContent(system.Within(t), i.id, client.Reading{})
	}
	body, err := read()
	if err != nil {
		t.Fatalf("the content of %+v: %v", i, err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// ended waits until an item is processed, and returns its name and state.
func (i item) ended(t *testing.T, c *client.Client) (name, state string) {
	t.Helper()
	var err error
	switch i.area {
	case client.TextFileArea:
		var f client.File
		f, err = c.Wait(system.Within(t), i.id)
		name, state = f.FileName, f.Status
	case client.PhotoArea:
		var p client.Photo
		p, err = c.WaitPhoto(system.Within(t), i.id)
		name, state = p.OriginalFileName, p.Status
	default:
		var n client.Node
		n, err = c.WaitNode(system.Within(t), i.id)
		name, state = n.Name, n.Status
	}
	if err != nil {
		t.Fatalf("%+v: %v", i, err)
	}
	return name, state
}

// delete deletes an item permanently.
func (i item) delete(t *testing.T, c *client.Client) {
	t.Helper()
	var err error
	switch i.area {
	case client.TextFileArea:
		err = c.Delete(system.Within(t), i.id)
	case client.PhotoArea:
		err = c.DeletePhoto(system.Within(t), i.id)
	default:
		err = c.EraseNode(system.Within(t), i.id)
	}
	if err != nil {
		t.Fatalf("delete %+v: %v", i, err)
	}
}

// wantEnd checks the name, the state and the content of an item.
func (i item) wantEnd(t *testing.T, c *client.Client, name, state, content string) {
	t.Helper()
	if gotName, got := i.ended(t, c); got != state || gotName != name {
		t.Errorf("%+v is %s %q, want %s %q", i, got, gotName, state, name)
	}
	if got := i.content(t, c); got != content {
		t.Errorf("%+v has other content (%d bytes), want the %d bytes that were sent", i, len(got), len(content))
	}
}

// text uploads a text file.
func text(t *testing.T, c *client.Client, name, contentType, content string) item {
	t.Helper()
	return item{client.TextFileArea, system.UploadMultipart(t, c, name, contentType, []byte(content)).FileID}
}

// photo uploads a photo.
func photo(t *testing.T, c *client.Client, content []byte) item {
	t.Helper()
	return item{client.PhotoArea, system.SendPhoto(t, c, "resize 40", content).JobID}
}

// file uploads a file to the root of the library, or to a folder.
func file(t *testing.T, c *client.Client, name, parentID, content string) item {
	t.Helper()
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: int64(len(content)), ParentID: parentID},
		client.Source{Content: strings.NewReader(content)})
	if err != nil {
		t.Fatal(err)
	}
	return item{client.LibraryArea, n.ID}
}

func words(n int) string { return strings.Repeat(fmt.Sprintf("word%d other ", n), n) }
