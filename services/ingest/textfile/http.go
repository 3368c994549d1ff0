package textfile

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "create-file", Method: http.MethodPost, Path: "/v1/files", Tags: []string{"files"},
		Summary: "Upload a file, or reserve an upload",
		Description: "With a JSON body, reserves a file and returns a presigned request for its content, or a resumable upload in parts. " +
			"With multipart/form-data, accepts the content in the part \"file\" and returns 202 with the file.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", a.postMultipart)},
		RequestBody:   accept.FormBody(nil),
		Responses:     accept.FormTaken[textfile.FileView](r, "The file is stored and will be analyzed", "Location"),
	}, a.postReservation, admission.Refusals, quota.Refusals, web.Refusals{http.StatusBadRequest: {"owner-required"}, http.StatusUnprocessableEntity: {"idempotency-key-reused"}, http.StatusConflict: {"not-uploaded", "not-as-reserved"}, http.StatusRequestEntityTooLarge: {"file-too-large"}})
	web.Register(r, huma.Operation{
		OperationID: "file-uploaded", Method: http.MethodPost, Path: "/v1/files/{id}/uploaded", Tags: []string{"files"},
		Summary: "Report that the presigned upload is finished", DefaultStatus: http.StatusAccepted,
	}, a.postUploaded, parts.Refusals, web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"not-uploaded", "not-as-reserved", "not-failed", "changed-meanwhile"}})
	web.Register(r, huma.Operation{
		OperationID: "retry-file", Method: http.MethodPost, Path: "/v1/files/{id}/retry", Tags: []string{"files"},
		Summary: "Analyze a FAILED file again", DefaultStatus: http.StatusAccepted,
	}, a.postRetry, web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"not-uploaded", "not-as-reserved", "not-failed", "changed-meanwhile"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-file", Method: http.MethodDelete, Path: "/v1/files/{id}", Tags: []string{"files"},
		Summary: "Delete a file, its content and its result", DefaultStatus: http.StatusNoContent,
	}, a.deleteFile, web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"changed-meanwhile"}})
	a.Parts.Routes(r, parts.Area{
		Path: "/v1/files/{id}", Tag: "files", Name: "file", Find: a.waiting, Problem: a.problem,
	}, web.Refusals{http.StatusForbidden: {"other-owner"}})
}

type reservationInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as that file exists; a call with other parameters or other content gets 422"`
	Body           struct {
		FileName    string `json:"fileName" minLength:"1" doc:"stored and shown as given, at most 1024 bytes"`
		Size        int64  `json:"size" minimum:"0" doc:"exact size in bytes"`
		ContentType string `json:"contentType,omitempty" maxLength:"255" pattern:"^([!-~]([ -~]*[!-~])?)?$" doc:"media type. Its charset applies unless a byte order mark specifies another or the content contradicts it. Without a charset, valid UTF-8 is UTF-8, and other text is Windows-1252"`
		SHA256      string `json:"sha256,omitempty" maxLength:"64" doc:"digest of the content, in hex or base64; S3 rejects other content. Not for uploads in parts, which use CRC-32"`
		Parts       bool   `json:"parts,omitempty" doc:"upload the file in parts; required above 5 GiB"`
	}
}

type reservationOutput struct {
	Location string `header:"Location"`
	Body     struct {
		textfile.FileView
		Upload parts.Reserved `json:"upload"`
	}
}

func (a *Area) postReservation(ctx context.Context, in *reservationInput) (*reservationOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, a.problem(err)
	}
	if err := checkName("body.fileName", in.Body.FileName); err != nil {
		return nil, err
	}
	digest, err := a.Items.Check(accept.Size{Bytes: in.Body.Size, SHA256: in.Body.SHA256, Parts: in.Body.Parts})
	if err != nil {
		return nil, err
	}
	terms := textfile.Reservation{
		FileName: in.Body.FileName, ContentType: cmp.Or(in.Body.ContentType, receive.DefaultContentType), SHA256: digest, Size: in.Body.Size,
	}
	file, created, err := a.reserve(ctx, in.OwnerID, in.IdempotencyKey, terms, quota.Item{Bytes: terms.Size, InParts: in.Body.Parts})
	if err != nil {
		return nil, a.problem(err)
	}
	out := &reservationOutput{Location: location(file)}
	out.Body.FileView = file.View()
	out.Body.Upload, err = a.Open(ctx, file, created, in.Body.Parts, blob.Terms{Size: terms.Size, ContentType: terms.ContentType, SHA256: digest})
	return out, err
}

type fileInput struct {
	web.CallerParam
	web.IDParam
}

type fileOutput struct {
	Location string `header:"Location"`
	Body     textfile.FileView
}

type uploadedInput struct {
	web.CallerParam
	web.IDParam
	parts.Report
}

func (a *Area) postUploaded(ctx context.Context, in *uploadedInput) (*fileOutput, error) {
	file, err := a.owned(ctx, in.ID, in.Caller)
	if err == nil {
		err = a.Complete(ctx, file, "", in.UploadID())
	}
	if err == nil {
		err = a.Confirm(ctx, a.Upload(file))
	}
	return a.accepted(file, err)
}

func (a *Area) postRetry(ctx context.Context, in *fileInput) (*fileOutput, error) {
	file, err := a.owned(ctx, in.ID, in.Caller)
	if err == nil {
		file, err = a.Items.Retry(ctx, file, a.Retry)
	}
	return a.accepted(file, err)
}

// waiting returns a PENDING file that the caller may change, for its upload in parts. It returns the errors of
// owned, and blob.ErrNoUpload.
func (a *Area) waiting(ctx context.Context, id string, caller web.Caller) (parts.File, error) {
	file, err := a.owned(ctx, id, caller)
	if err != nil {
		return parts.File{}, err
	}
	return accept.InParts(a.Upload(file), "")
}

func (a *Area) accepted(file textfile.File, err error) (*fileOutput, error) {
	if err != nil {
		return nil, a.problem(err)
	}
	return &fileOutput{Location: location(file), Body: file.View()}, nil
}

func (a *Area) deleteFile(ctx context.Context, in *fileInput) (*struct{}, error) {
	file, err := a.owned(ctx, in.ID, in.Caller)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		err = a.Discard(ctx, file)
	}
	return nil, a.problem(err)
}

func location(file textfile.File) string { return "/v1/files/" + file.FileID }
