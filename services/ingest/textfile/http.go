package textfile

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/charset"
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
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-file", Method: http.MethodPost, Path: "/v1/files", Tags: []string{"files"},
		Summary: "Upload a file, or reserve an upload",
		Description: "With a JSON body, reserves a file and returns a presigned request for its content, or a resumable upload in parts. " +
			"With multipart/form-data, accepts the content in the part \"file\" and returns 202 with the file.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", a.postMultipart)},
		RequestBody:   accept.FormBody(nil),
		Responses:     accept.FormTaken[textfile.FileView](r, "The file is stored and will be analyzed", "Location"),
	}, a.postReservation, admission.Refusals, accept.Creates, web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved"}, http.StatusRequestEntityTooLarge: {"file-too-large"}})
	calls := accept.Calls[textfile.File, accept.Target, accept.Located[textfile.FileView]]{
		Router: r, Tag: "files", Name: "file", Path: "/v1/files/{id}", Find: a.Owned, Problem: a.Problem, Output: output,
	}
	foreign := web.Refusals{http.StatusForbidden: {"other-owner"}}
	changed := web.Refusals{http.StatusConflict: {"not-uploaded", "not-as-reserved", "not-failed", "changed-meanwhile"}}
	calls.Uploads(a.Items, foreign, changed)
	accept.Post(calls, huma.Operation{
		OperationID: "retry-file", Path: "/v1/files/{id}/retry", Summary: "Analyze a FAILED file again, or any finished file in another charset",
	}, a.retry, foreign, changed)
	calls.Delete("Delete a file, its content and its result", a.Remove, foreign, web.Refusals{http.StatusConflict: {"changed-meanwhile"}})
}

type reservationInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as that file exists; a call with other parameters or other content gets 422"`
	Body           struct {
		FileName    string `json:"fileName" minLength:"1" doc:"stored and shown as given, at most 1024 bytes; it must not contain control characters, or characters that change the direction of text"`
		ContentType string `json:"contentType,omitempty" maxLength:"255" pattern:"^([!-~]([ -~]*[!-~])?)?$" doc:"media type. Its charset applies unless a byte order mark specifies another or the content contradicts it. Without a known charset, it is detected"`
		accept.Declared
	}
}

// FileRetry is the body of a retry.
type FileRetry struct {
	Charset string `json:"charset,omitempty" maxLength:"64" doc:"the charset of the text, such as koi8-r, instead of that of the content type. A byte order mark, or content that contradicts it, still takes precedence. A COMPLETED file loses its result until it is analyzed again"`
}

type retryInput struct {
	accept.Target
	Body *FileRetry `required:"false"`
}

func (a *Area) retry(ctx context.Context, f textfile.File, in *retryInput) (textfile.File, error) {
	if in.Body == nil || in.Body.Charset == "" {
		return a.Retry(ctx, f, a.store.Retry)
	}
	stated, known := charset.Lookup(in.Body.Charset)
	if !known {
		return f, web.Invalid(web.FieldError{Field: "body.charset", Message: "is not the name of a known charset, such as windows-1251 or shift_jis"})
	}
	return a.Retry(ctx, f, func(ctx context.Context, f textfile.File) (textfile.File, error) {
		return a.store.RetryAs(ctx, f, stated.Name)
	})
}

type reservationResponse struct {
	textfile.FileView
	Upload parts.Reserved `json:"upload"`
}

func (a *Area) postReservation(ctx context.Context, in *reservationInput) (*accept.Located[reservationResponse], error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	if err := checkName("body.fileName", in.Body.FileName); err != nil {
		return nil, err
	}
	digest, err := a.Digest(in.Body.Declared)
	if err != nil {
		return nil, err
	}
	terms := textfile.Reservation{
		FileName: in.Body.FileName, ContentType: cmp.Or(in.Body.ContentType, receive.DefaultContentType), SHA256: digest, Size: in.Body.Size,
	}
	file, created, err := a.reserve(ctx, in.OwnerID, in.IdempotencyKey, terms, quota.Item{Bytes: terms.Size, InParts: in.Body.Parts}, nil)
	if err != nil {
		return nil, err
	}
	upload, err := a.Open(ctx, file, created, in.Body.Parts, blob.Terms{Size: terms.Size, ContentType: terms.ContentType, SHA256: digest})
	return &accept.Located[reservationResponse]{Location: location(file), Body: reservationResponse{file.View(), upload}}, err
}

func output(file textfile.File, _ web.Caller) *accept.Located[textfile.FileView] {
	return &accept.Located[textfile.FileView]{Location: location(file), Body: file.View()}
}

func location(file textfile.File) string { return "/v1/files/" + file.FileID }
