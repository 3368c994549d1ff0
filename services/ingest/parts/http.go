package parts

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/web"
)

// Reserved describes how to upload the content of a reserved file: with one request, or in parts.
type Reserved struct {
	Method    string            `json:"method,omitempty" doc:"method of the request that uploads the content; absent for an upload in parts, like url and headers"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty" doc:"send exactly these headers"`
	ExpiresAt time.Time         `json:"expiresAt" doc:"time until which the request can be started, or parts can be sent and reported"`

	UploadID  string `json:"uploadId,omitempty" doc:"id of an upload in parts; absent once all content is stored"`
	PartSize  int64  `json:"partSize,omitempty" doc:"size in bytes of each part except the last"`
	PartCount int32  `json:"partCount,omitempty" doc:"number of parts; they are numbered from 1"`
}

// OneRequest returns the upload with a presigned request.
func OneRequest(p blob.Presigned) Reserved {
	return Reserved{Method: p.Method, URL: p.URL, Headers: p.Headers, ExpiresAt: p.ExpiresAt}
}

// Signed is the request that uploads one part.
type Signed struct {
	Number    int32             `json:"number"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers" doc:"send exactly these headers"`
	ExpiresAt time.Time         `json:"expiresAt" doc:"time until which the request can be started"`
}

// Stored is a part that is stored in the bucket.
type Stored struct {
	Number int32  `json:"number"`
	Size   int64  `json:"size" doc:"bytes"`
	CRC32  string `json:"crc32" doc:"4 bytes, big endian, in base64"`
}

// Area is the part of an area's interface that the calls use.
type Area struct {
	Path, Tag string // path of a file, for example /v1/files/{id}, and tag of the operations
	Name      string // suffix of operation ids, for example file
	// Find returns a file that waits for its upload and that the caller may change. Otherwise it returns
	// blob.ErrNoUpload or another error.
	Find func(ctx context.Context, id string, caller web.Caller) (File, error)
	// Problem converts errors of Find and of this package into HTTP problems.
	Problem func(error) error
}

type signInput struct {
	web.CallerParam
	web.IDParam
	Body struct {
		UploadID string   `json:"uploadId" minLength:"1" maxLength:"1024" pattern:"^[A-Za-z0-9][A-Za-z0-9._~=-]*$"`
		Numbers  []int32  `json:"numbers" minItems:"1" maxItems:"100" nullable:"false" doc:"numbers of the parts, from 1 to partCount"`
		CRC32    []string `json:"crc32" minItems:"1" maxItems:"100" nullable:"false" doc:"CRC-32 of each part: 4 bytes, big endian, in base64. The bucket rejects other content"`
	}
}

type signOutput struct {
	Body struct {
		Parts []Signed `json:"parts" nullable:"false"`
	}
}

type storedInput struct {
	web.CallerParam
	web.IDParam
	UploadID string `query:"uploadId" required:"true" minLength:"1" maxLength:"1024" pattern:"^[A-Za-z0-9][A-Za-z0-9._~=-]*$"`
}

type storedOutput struct {
	Body struct {
		Parts []Stored `json:"parts" nullable:"false"`
	}
}

// Report is the optional body of the call that reports an upload as finished.
type Report struct {
	Body *struct {
		UploadID string `json:"uploadId,omitempty" maxLength:"1024" pattern:"^([A-Za-z0-9][A-Za-z0-9._~=-]*)?$" doc:"id of an upload in parts, whose parts are then joined; repeating the call is not an error"`
	} `required:"false"`
}

// UploadID returns the id of the upload in parts that is reported as finished, or "".
func (r Report) UploadID() string {
	if r.Body == nil {
		return ""
	}
	return r.Body.UploadID
}

// Routes registers the calls of an area for uploads in parts.
func (u *Uploads) Routes(r *web.Router, a Area, refusals ...web.Refusals) {
	refusals = append(refusals, Refusals)
	web.Register(r, huma.Operation{
		OperationID: "sign-" + a.Name + "-parts", Method: http.MethodPost, Path: a.Path + "/parts", Tags: []string{a.Tag},
		Summary: "Sign uploads of parts of a file",
		Description: "Returns a presigned request for each part, which is valid for 15 minutes. Length and CRC-32 are signed. " +
			"Parts can be sent in any order, concurrently and repeatedly; a part replaces an earlier one with the same number. " +
			"A file has at most 10,000 parts. By default, up to 1,000 uploads in parts may be open, 500 of them of one owner; a reservation beyond that gets 503.",
	}, func(ctx context.Context, in *signInput) (*signOutput, error) {
		file, err := a.Find(ctx, in.ID, in.Caller)
		if err != nil {
			return nil, a.Problem(err)
		}
		out := &signOutput{}
		if out.Body.Parts, err = u.sign(ctx, file, in.Body.UploadID, in.Body.Numbers, in.Body.CRC32); err != nil {
			return nil, a.Problem(err)
		}
		return out, nil
	}, refusals...)
	web.Register(r, huma.Operation{
		OperationID: "list-" + a.Name + "-parts", Method: http.MethodGet, Path: a.Path + "/parts", Tags: []string{a.Tag},
		Summary: "List the stored parts of a file", Description: "To resume an interrupted upload, send the missing parts.",
	}, func(ctx context.Context, in *storedInput) (*storedOutput, error) {
		file, err := a.Find(ctx, in.ID, in.Caller)
		if err != nil {
			return nil, a.Problem(err)
		}
		stored, err := u.bucket.Parts(ctx, file.Key, in.UploadID, 0)
		if err != nil {
			return nil, a.Problem(err)
		}
		out := &storedOutput{}
		out.Body.Parts = make([]Stored, len(stored))
		for i, part := range stored {
			out.Body.Parts[i] = Stored{Number: part.Number, Size: part.Size, CRC32: part.CRC32}
		}
		return out, nil
	}, refusals...)
}
