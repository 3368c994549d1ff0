package library

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

func (a *Area) fileRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "create-library-file", Method: http.MethodPost, Path: "/v1/library/files", Tags: []string{tag},
		Summary: "Upload a file, or reserve an upload",
		Description: "With a JSON body, reserves a file and returns a presigned request for its content, or a resumable upload in parts. " +
			"With multipart/form-data, accepts the parts \"parentId\", if any, and then \"file\", and returns 202 with the node.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", a.postMultipart)},
		RequestBody:   multipartBody(),
		Responses:     map[string]*huma.Response{"202": fileTaken(r)},
	}, a.postReservation, admission.Refusals, keyed, changes, quota.Refusals, web.Refusals{http.StatusRequestEntityTooLarge: {"file-too-large"}})
	web.Register(r, huma.Operation{
		OperationID: "library-file-uploaded", Method: http.MethodPost, Path: "/v1/library/files/{id}/uploaded", Tags: []string{tag},
		Summary: "Report that the presigned upload is finished", DefaultStatus: http.StatusAccepted,
	}, a.postUploaded, processing, parts.Refusals)
	a.parts.Routes(r, parts.Area{
		Path: "/v1/library/files/{id}", Tag: tag, Name: "library-file", Find: a.waiting, Problem: a.problem,
	}, web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"not-a-file"}})
	for _, op := range []struct {
		id, path, summary string
		call              func(context.Context, *fileInput) (*nodeOutput, error)
	}{
		{"retry-library-file", "/v1/library/files/{id}/retry", "Process a Failed or ProcessedPartially file again", a.postRetry},
		{"reprocess-library-file", "/v1/library/files/{id}/reprocess", "Process a Processed file again, for example with newer engines", a.postReprocess},
	} {
		web.Register(r, huma.Operation{
			OperationID: op.id, Method: http.MethodPost, Path: op.path, Tags: []string{tag}, Summary: op.summary, DefaultStatus: http.StatusAccepted,
		}, op.call, processing)
	}
	web.Register(r, huma.Operation{
		OperationID: "retry-library-step", Method: http.MethodPost, Path: "/v1/library/files/{id}/workflow/steps/{step}/retry", Tags: []string{tag},
		Summary:       "Run one failed step of a file again",
		Description:   "The results of the other steps are retained. Returns 410 if the steps are no longer stored; retry the file instead. A slash in the name of a step is sent as %2F.",
		DefaultStatus: http.StatusAccepted,
	}, a.postRetryStep, processing)
}

func multipartBody() *huma.RequestBody {
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{receive.FilePart},
			Properties: map[string]*huma.Schema{receive.FilePart: {Type: "string", Format: "binary"}, parentPart: {Type: "string", Format: "uuid"}},
		}},
	}}
}

// fileTaken describes the response to a form upload, which is not a typed operation.
func fileTaken(r *web.Router) *huma.Response {
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[library.NodeView](), true, "")
	text := &huma.Param{Schema: &huma.Schema{Type: "string"}}
	return &huma.Response{
		Description: "The file is stored and will be processed",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: view}},
		Headers:     map[string]*huma.Param{"Location": text, "ETag": text},
	}
}

type uploadInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as that file exists; a call with other parameters or other content gets 422"`
	Body           struct {
		Name        string `json:"name" minLength:"1" maxLength:"1024"`
		Size        int64  `json:"size" minimum:"0" doc:"exact size in bytes"`
		ContentType string `json:"contentType,omitempty" maxLength:"255" pattern:"^([!-~]([ -~]*[!-~])?)?$" doc:"media type; the workflow depends on the content only"`
		SHA256      string `json:"sha256,omitempty" maxLength:"64" doc:"digest of the content, in hex or base64; S3 rejects other content. Not for uploads in parts, which use CRC-32"`
		Parts       bool   `json:"parts,omitempty" doc:"upload the file in parts; required above 5 GiB"`
		ParentID    string `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
	}
}

type uploadOutput struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     struct {
		library.NodeView
		Upload parts.Reserved `json:"upload"`
	}
}

func (a *Area) postReservation(ctx context.Context, in *uploadInput) (*uploadOutput, error) {
	if err := a.admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, a.problem(err)
	}
	digest, err := receive.ParseDigest(in.Body.SHA256)
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "body.sha256", Message: err.Error()})
	}
	if in.Body.Size > a.receiver.MaxSize {
		return nil, a.problem(receive.ErrTooLarge)
	}
	if err := parts.CheckReservation(in.Body.Parts, in.Body.Size, digest); err != nil {
		return nil, err
	}
	terms := library.NewFile{
		NewNode:     library.NewNode{Owner: in.OwnerID, ParentID: in.Body.ParentID, Name: in.Body.Name},
		ContentType: in.Body.ContentType, SHA256: digest, Length: in.Body.Size,
	}
	node, file, created, err := a.reserve(ctx, in.IdempotencyKey, terms, quota.Item{Bytes: terms.Length, InParts: in.Body.Parts})
	if err != nil {
		return nil, a.problem(err)
	}
	out := &uploadOutput{Location: location(node.ID), ETag: node.ETag()}
	out.Body.NodeView = node.View(library.Caller{Owner: in.OwnerID})
	if in.Body.Parts {
		out.Body.Upload, err = a.parts.Open(ctx, inParts(file), in.OwnerID, !created)
		return out, a.problem(err)
	}
	signed, err := a.bucket.PresignPut(ctx, file.Key, blob.Terms{
		Size: file.Length, ContentType: file.ContentType, SHA256: digest, Metadata: upload.Metadata(ctx), Expires: a.receiver.Expires,
	})
	out.Body.Upload = parts.OneRequest(signed)
	return out, err
}

// admit returns nil if a request of the owner with this idempotency key is accepted.
func (a *Area) admit(ctx context.Context, owner string, named bool, idempotencyKey string) error {
	switch {
	case idempotencyKey != "" && !named:
		return errNoOwner
	case len(idempotencyKey) > receive.MaxKey:
		return web.Invalid(web.FieldError{Field: "header.Idempotency-Key", Message: "is longer than 255 bytes"})
	}
	return a.bus.Admit(ctx, library.WorkStream, owner)
}

// reserve writes a Loading file and its node. For a used idempotency key, it returns those of the first call, or
// errOtherUse if the parameters differ. created reports whether this call wrote them. counted states the size that
// counts toward quotas; it may be known even if the length in terms is not.
func (a *Area) reserve(ctx context.Context, idempotencyKey string, terms library.NewFile, counted quota.Item) (node library.Node, file library.File, created bool, err error) {
	if terms.Name, err = library.CleanName(terms.Name); err != nil {
		return node, file, false, err
	}
	if terms.ID, err = a.ids.New(ctx, terms.Owner, idempotencyKey); err != nil {
		return node, file, false, err
	}
	if terms.BlobID, err = library.NewID(terms.Owner, ""); err != nil {
		return node, file, false, err
	}
	if terms.ContentType == "" {
		terms.ContentType = receive.DefaultContentType
	}
	named := terms.ParentID
	terms.ParentID, terms.Type, terms.Bucket = parentOf(named, terms.Owner), library.TypeOf(terms.ContentType), a.bucket.Bucket
	terms.Key = terms.UploadKey()
	counted.Area, counted.ID = library.Name, terms.ID
	reserved, refused := a.quotas.Reserve(ctx, terms.Owner, counted)
	if refused == nil {
		node, file, err = a.store.Reserve(ctx, terms)
		if notCreated(err) {
			reserved.Undo(ctx)
		}
		if !errors.Is(err, library.ErrExists) {
			return node, file, err == nil, a.refused(ctx, err, named, library.Caller{Owner: terms.Owner})
		}
	}
	if node, err = a.store.Get(ctx, terms.ID); err != nil {
		return node, file, false, cmp.Or(refused, err)
	}
	if node.Type != library.KindFile {
		return node, file, false, errOtherUse
	}
	if file, err = a.store.File(ctx, terms.ID); err == nil && !terms.ReservedAs(file.Key) {
		err = errOtherUse
	}
	return node, file, false, err
}

// notCreated reports whether an error from creating a node means that the node does not exist.
func notCreated(err error) bool {
	return slices.ContainsFunc([]error{
		library.ErrOwner, library.ErrNotFolder, library.ErrTrashed, library.ErrTooDeep, lifecycle.ErrNotFound,
	}, func(reason error) bool { return errors.Is(err, reason) })
}

type fileInput struct {
	web.IDParam
	web.CallerParam
}

// writable returns a file that the caller may change, and the path of its node.
func (a *Area) writable(ctx context.Context, id string, c library.Caller) (library.Path, library.File, error) {
	path, err := a.store.Writable(ctx, id, c)
	if err != nil {
		return nil, library.File{}, err
	}
	if path.Node().Type != library.KindFile {
		return nil, library.File{}, errNotFile
	}
	file, err := a.store.File(ctx, id)
	return path, file, err
}

// waiting returns a Loading file that the caller may change, for an upload in parts. It returns the errors of
// writable, and blob.ErrNoUpload.
func (a *Area) waiting(ctx context.Context, id string, who web.Caller) (parts.File, error) {
	_, file, err := a.writable(ctx, id, caller(who))
	if err == nil && (file.Status != library.Loading || file.Length < 0) {
		err = blob.ErrNoUpload
	}
	return inParts(file), err
}

func inParts(file library.File) parts.File {
	return parts.File{Key: file.Key, Size: file.Length, ContentType: file.ContentType, Created: file.Created()}
}

type uploadedInput struct {
	web.CallerParam
	web.IDParam
	parts.Report
}

func (a *Area) postUploaded(ctx context.Context, in *uploadedInput) (*nodeOutput, error) {
	path, file, err := a.writable(ctx, in.ID, caller(in.Caller))
	if id := in.UploadID(); err == nil && id != "" && file.Status == library.Loading && file.Length >= 0 {
		if err = a.parts.Complete(ctx, inParts(file), id); err == nil {
			err = a.quotas.Joined(ctx, file.OwnedBy, library.Name, file.ID)
		}
	}
	if err == nil {
		err = a.announcer.Uploaded(ctx, file)
	}
	if err != nil {
		return nil, a.problem(err)
	}
	return output(path.Node(), caller(in.Caller)), nil
}
