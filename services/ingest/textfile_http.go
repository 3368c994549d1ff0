package ingest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/textfile/upload"
	"github.com/assay-project/assay/pkg/web"
)

// defaultContentType is that of an upload whose client declares none.
const defaultContentType = "application/octet-stream"

// routes registers the textfile calls that write.
func (t *textFiles) routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "create-file", Method: http.MethodPost, Path: "/v1/files", Tags: []string{"files"},
		Summary: "Upload a file, or reserve an upload",
		Description: "With a JSON body, reserves a file and answers with a presigned request for its bytes. " +
			"With multipart/form-data, takes the bytes of the only part \"file\" themselves and answers 202 with the file.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", t.postMultipart)},
		RequestBody:   multipartBody(),
		Responses:     map[string]*huma.Response{"202": fileTaken(r)},
	}, t.postReservation)
	web.Register(r, huma.Operation{
		OperationID: "file-uploaded", Method: http.MethodPost, Path: "/v1/files/{id}/uploaded", Tags: []string{"files"},
		Summary: "Say that the presigned upload is done", DefaultStatus: http.StatusAccepted,
	}, t.postUploaded)
	web.Register(r, huma.Operation{
		OperationID: "retry-file", Method: http.MethodPost, Path: "/v1/files/{id}/retry", Tags: []string{"files"},
		Summary: "Analyze a FAILED file again", DefaultStatus: http.StatusAccepted,
	}, t.postRetry)
	web.Register(r, huma.Operation{
		OperationID: "delete-file", Method: http.MethodDelete, Path: "/v1/files/{id}", Tags: []string{"files"},
		Summary: "Remove a file, its bytes and its result", DefaultStatus: http.StatusNoContent,
	}, t.deleteFile)
}

func multipartBody() *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{filePart},
			Properties: map[string]*huma.Schema{filePart: {Type: "string", Format: "binary"}},
		}},
	}}
}

// fileTaken describes the answer to a form, which is no typed operation.
func fileTaken(r *web.Router) *huma.Response {
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[textfile.FileView](), true, "")
	return &huma.Response{
		Description: "The file of a form is stored and will be analyzed",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: view}},
		Headers:     map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: "string"}}},
	}
}

type reservationInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"needs X-Owner-Id. A repeat with the same key gets the file of the first call as long as that file exists; one with other terms or other bytes is refused with 422"`
	Body           struct {
		FileName    string `json:"fileName" minLength:"1" doc:"stored and shown as given, at most 1024 bytes"`
		Size        int64  `json:"size" minimum:"0" doc:"exact length in bytes"`
		ContentType string `json:"contentType,omitempty" maxLength:"255" pattern:"^([!-~]([ -~]*[!-~])?)?$" doc:"media type. Its charset holds unless a byte order mark names another or the bytes contradict it. Without one, a text that is all valid UTF-8 is UTF-8, and any other Windows-1252"`
		SHA256      string `json:"sha256,omitempty" maxLength:"64" doc:"digest of the bytes, in hex or base64; S3 refuses other bytes"`
	}
}

type reservationOutput struct {
	Location string `header:"Location"`
	Body     struct {
		textfile.FileView
		Upload presigned `json:"upload" doc:"the request to make next, with exactly these headers"`
	}
}

type presigned struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

func (t *textFiles) postReservation(ctx context.Context, in *reservationInput) (*reservationOutput, error) {
	if in.IdempotencyKey != "" && !in.Named() {
		return nil, t.problem(errNoOwner)
	}
	if err := t.uploads.Bus.Admit(ctx, event.UploadedOf(""), in.OwnerID); err != nil {
		return nil, t.problem(err)
	}
	digest, err := parseDigest(in.Body.SHA256)
	if err != nil {
		return nil, err
	}
	if err := checkName("body.fileName", in.Body.FileName); err != nil {
		return nil, err
	}
	if in.Body.Size > t.maxSize {
		return nil, t.problem(errTooLarge)
	}
	terms := textfile.Reservation{
		FileName: in.Body.FileName, ContentType: in.Body.ContentType, SHA256: digest, Size: in.Body.Size,
	}
	if terms.ContentType == "" {
		terms.ContentType = defaultContentType
	}
	file, _, err := t.reserve(ctx, in.OwnerID, in.IdempotencyKey, terms)
	if err != nil {
		return nil, t.problem(err)
	}
	signed, err := t.bucket.PresignPut(ctx, file.S3Key, blob.Terms{
		Size: terms.Size, ContentType: terms.ContentType, SHA256: terms.SHA256,
		Metadata: upload.Metadata(ctx), Expires: t.expires,
	})
	if err != nil {
		return nil, err
	}
	out := &reservationOutput{Location: location(file)}
	out.Body.FileView = file.View()
	out.Body.Upload = presigned{Method: signed.Method, URL: signed.URL, Headers: signed.Headers, ExpiresAt: signed.ExpiresAt}
	return out, nil
}

type fileInput struct {
	web.OwnerParam
	web.IDParam
}

type fileOutput struct {
	Location string `header:"Location"`
	Body     textfile.FileView
}

func (t *textFiles) postUploaded(ctx context.Context, in *fileInput) (*fileOutput, error) {
	file, err := t.owned(ctx, in.ID, in.OwnerID)
	if err == nil {
		file, err = t.uploads.Confirm(ctx, file)
	}
	return t.accepted(file, err)
}

func (t *textFiles) postRetry(ctx context.Context, in *fileInput) (*fileOutput, error) {
	file, err := t.owned(ctx, in.ID, in.OwnerID)
	if err == nil {
		file, err = t.retry(ctx, file)
	}
	return t.accepted(file, err)
}

func (t *textFiles) accepted(file textfile.File, err error) (*fileOutput, error) {
	if err != nil {
		return nil, t.problem(err)
	}
	return &fileOutput{Location: location(file), Body: file.View()}, nil
}

func (t *textFiles) deleteFile(ctx context.Context, in *fileInput) (*struct{}, error) {
	file, err := t.owned(ctx, in.ID, in.OwnerID)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		err = t.remove(ctx, file)
	}
	return nil, t.problem(err)
}

// problem translates what a client can do something about.
func (t *textFiles) problem(err error) error {
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no file of this id.")
	case errors.Is(err, errForeign):
		return web.NewProblem(http.StatusForbidden, "other-owner", "The file belongs to another owner. Send the X-Owner-Id that it was uploaded with.")
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The bytes are not there yet. Make the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The bytes are not what was reserved. Delete the file and reserve again.").Because(err)
	case errors.Is(err, errOtherUpload):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used for an upload with other terms or other bytes. Use a new key.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key needs an owner. Send X-Owner-Id with it, the same with each repeat.")
	case errors.Is(err, errTooLarge):
		return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("The largest file is %d bytes.", t.maxSize))
	case errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("The file's last worker has not let go of it yet.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrInconsistent):
		return web.Unavailable("The file and its place in the list differ; the next sweep brings them together.", time.Minute).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "not-failed", fmt.Sprintf("Only a FAILED file can be retried; this one is %s.", moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The file was changed at the same time. Look at it and try again.")
	}
	return fullProblem(err)
}

// parseDigest reads a SHA-256 in hex or base64 and returns it in base64, as S3
// has it; empty stays empty.
func parseDigest(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		raw, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(raw) != 32 {
		return "", web.Invalid(web.FieldError{Field: "body.sha256", Message: "is not a SHA-256 in hex (64 digits) or base64 (44 characters)"})
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

func location(file textfile.File) string { return "/v1/files/" + file.FileID }
