// Command go calls a server through a client generated from its OpenAPI document. The argument is the address of the
// server. If a response is unexpected, the command prints it and exits with status 1.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/clients/go/assay"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// session makes calls as one owner.
type session struct {
	api   *assay.ClientWithResponses
	owner string
	wait  string
}

func run(ctx context.Context, server string) error {
	api, err := assay.NewClientWithResponses(server)
	if err != nil {
		return err
	}
	s := &session{api: api, owner: uuid.NewString(), wait: "60s"}
	return errors.Join(
		named("text file", s.file(ctx)), named("feed", s.feed(ctx)),
		named("photo", s.photo(ctx)), named("library", s.library(ctx)), named("problem", s.problem(ctx)),
	)
}

func named(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// file reserves an upload, uploads a text, waits for its result and lists the file.
func (s *session) file(ctx context.Context) error {
	const text = "one fish two fish"
	reserved, err := s.api.CreateFileWithResponse(ctx, &assay.CreateFileParams{XOwnerId: &s.owner}, assay.ReservationRequest{FileName: "fish.txt", Size: int64(len(text))})
	if err != nil {
		return err
	}
	if reserved.JSON201 == nil {
		return fmt.Errorf("reserve returned %s %s, want 201", reserved.Status(), reserved.Body)
	}
	if err := put(ctx, reserved.JSON201.Upload, text); err != nil {
		return err
	}
	id := reserved.JSON201.FileId
	uploaded, err := s.api.FileUploadedWithResponse(ctx, id, &assay.FileUploadedParams{XOwnerId: &s.owner}, assay.FileUploadedJSONRequestBody{})
	if err != nil {
		return err
	}
	if uploaded.JSON202 == nil {
		return fmt.Errorf("reporting the upload returned %s %s, want 202", uploaded.Status(), uploaded.Body)
	}
	done, err := s.api.GetFileWithResponse(ctx, id, &assay.GetFileParams{XOwnerId: &s.owner, Wait: &s.wait})
	if err != nil {
		return err
	}
	if f := done.JSON200; f == nil || f.Status != assay.FileViewStatusCOMPLETED || f.Result == nil || f.Result.TotalWords != 4 || len(f.Result.Top10Words) != 3 {
		return fmt.Errorf("the file is %s %s, want COMPLETED with 4 words, 3 of them distinct", done.Status(), done.Body)
	}
	list, err := s.api.ListFilesWithResponse(ctx, s.owner, &assay.ListFilesParams{XOwnerId: &s.owner})
	if err != nil {
		return err
	}
	if l := list.JSON200; l == nil || len(l.Files) != 1 || l.Files[0].FileId != id {
		return fmt.Errorf("the list is %s %s, want only the file", list.Status(), list.Body)
	}
	return nil
}

func put(ctx context.Context, to assay.Reserved, text string) error {
	if to.Method == nil || to.Url == nil || to.Headers == nil {
		return errors.New("the reservation contains no upload request")
	}
	req, err := http.NewRequestWithContext(ctx, *to.Method, *to.Url, strings.NewReader(text))
	if err != nil {
		return err
	}
	for name, value := range *to.Headers {
		req.Header.Set(name, value)
	}
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the presigned upload returned %s, want 200", resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

// feed posts a single item and a batch, and reads an item and the summary.
func (s *session) feed(ctx context.Context) error {
	item := func(text string) assay.Submission {
		return assay.Submission{
			SourceId: "twitter#" + uuid.NewString(), SourceType: assay.SubmissionSourceTypeTwitter, Text: &text, MatchedTags: []string{"generated"},
		}
	}
	var one, many assay.ItemOrItems
	first := item("The book was good.")
	batch := assay.Batch{Items: []assay.Submission{first, item("The book was awful.")}}
	if err := errors.Join(one.FromSubmission(first), many.FromBatch(batch)); err != nil {
		return err
	}
	posted, err := s.api.PostFeedItemsWithResponse(ctx, one)
	if err != nil {
		return err
	}
	if posted.JSON201 == nil || posted.JSON201.SourceId != first.SourceId {
		return fmt.Errorf("posting one item returned %s %s, want 201 and the item", posted.Status(), posted.Body)
	}
	if posted, err = s.api.PostFeedItemsWithResponse(ctx, many); err != nil {
		return err
	}
	if posted.JSON207 == nil || len(posted.JSON207.Results) != len(batch.Items) {
		return fmt.Errorf("posting two items returned %s %s, want 207 and 2 results", posted.Status(), posted.Body)
	}
	read, err := s.api.GetFeedItemWithResponse(ctx, first.SourceId, &assay.GetFeedItemParams{Wait: &s.wait})
	if err != nil {
		return err
	}
	if read.JSON200 == nil || read.JSON200.Sentiment != assay.ItemViewSentimentPositive {
		return fmt.Errorf("the item is %s %s, want positive", read.Status(), read.Body)
	}
	summary, err := s.api.GetFeedSummaryWithResponse(ctx, &assay.GetFeedSummaryParams{})
	if err != nil {
		return err
	}
	if summary.JSON200 == nil {
		return fmt.Errorf("the summary returned %s %s, want 200", summary.Status(), summary.Body)
	}
	return nil
}

// photo posts a picture in a form and waits for the edited picture.
func (s *session) photo(ctx context.Context) error {
	var picture, form bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 48))); err != nil {
		return err
	}
	w := multipart.NewWriter(&form)
	if err := errors.Join(w.WriteField("prompt", "rotate 90"), addFile(w, "dot.png", "image/png", picture.Bytes()), w.Close()); err != nil {
		return err
	}
	created, err := s.api.CreatePhotoWithBodyWithResponse(ctx, &assay.CreatePhotoParams{XOwnerId: &s.owner}, w.FormDataContentType(), &form)
	if err != nil {
		return err
	}
	if created.JSON202 == nil {
		return fmt.Errorf("the form returned %s %s, want 202", created.Status(), created.Body)
	}
	done, err := s.api.GetPhotoWithResponse(ctx, created.JSON202.JobId, &assay.GetPhotoParams{XOwnerId: &s.owner, Wait: &s.wait})
	if err != nil {
		return err
	}
	if done.JSON200 == nil || done.JSON200.EditResult == nil || done.JSON200.EditResult.Height != 64 {
		return fmt.Errorf("the job is %s %s, want an edited picture with a height of 64", done.Status(), done.Body)
	}
	return nil
}

func addFile(w *multipart.Writer, name, mediaType string, content []byte) error {
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, name)}, "Content-Type": {mediaType},
	})
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	return err
}

// library creates a folder, uploads a file to it, waits until the file is processed, lists the folder and searches for
// the file.
func (s *session) library(ctx context.Context) error {
	folder, err := s.api.CreateFolderWithResponse(ctx, &assay.CreateFolderParams{XOwnerId: &s.owner}, assay.FolderRequest{Name: "papers"})
	if err != nil {
		return err
	}
	if folder.JSON201 == nil {
		return fmt.Errorf("creating a folder returned %s %s, want 201", folder.Status(), folder.Body)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err = errors.Join(w.WriteField("parentId", folder.JSON201.Id.String()), addFile(w, "fish.txt", "text/plain", []byte("One fish, two fish.\n")), w.Close())
	if err != nil {
		return err
	}
	put, err := s.api.CreateLibraryFileWithBodyWithResponse(ctx, &assay.CreateLibraryFileParams{XOwnerId: &s.owner}, w.FormDataContentType(), &form)
	if err != nil {
		return err
	}
	if put.JSON202 == nil {
		return fmt.Errorf("uploading a file returned %s %s, want 202", put.Status(), put.Body)
	}
	done, err := s.api.GetLibraryNodeWithResponse(ctx, put.JSON202.Id, &assay.GetLibraryNodeParams{XOwnerId: &s.owner, Wait: &s.wait})
	if err != nil {
		return err
	}
	if done.JSON200 == nil || done.JSON200.Status != assay.NodeViewStatusProcessed {
		return fmt.Errorf("the file is %s %s, want Processed", done.Status(), done.Body)
	}
	list, err := s.api.ListLibraryChildrenWithResponse(ctx, folder.JSON201.Id, &assay.ListLibraryChildrenParams{XOwnerId: &s.owner})
	if err != nil {
		return err
	}
	if list.JSON200 == nil || len(list.JSON200.Nodes) != 1 {
		return fmt.Errorf("the folder contains %s %s, want 1 node", list.Status(), list.Body)
	}
	after := fmt.Sprintf("%s:%d", done.JSON200.Id, done.JSON200.Version)
	found, err := s.api.SearchLibraryWithResponse(ctx, &assay.SearchLibraryParams{XOwnerId: &s.owner, Q: "fish", After: &after})
	if err != nil {
		return err
	}
	if found.JSON200 == nil || len(found.JSON200.Hits) != 1 || found.JSON200.Hits[0].Node.Id != put.JSON202.Id {
		return fmt.Errorf("the search returned %s %s, want the file", found.Status(), found.Body)
	}
	return nil
}

// problem requests a file that does not exist.
func (s *session) problem(ctx context.Context) error {
	missing, err := s.api.GetFileWithResponse(ctx, uuid.New(), &assay.GetFileParams{XOwnerId: &s.owner})
	if err != nil {
		return err
	}
	if p := missing.ApplicationproblemJSONDefault; p == nil || p.Type != "urn:assay:problem:not-found" {
		return fmt.Errorf("a missing file returned %s %s, want the problem not-found", missing.Status(), missing.Body)
	}
	return nil
}
