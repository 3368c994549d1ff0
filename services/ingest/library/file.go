package library

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

func (a *Area) fileRoutes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-library-file", Method: http.MethodPost, Path: "/v1/library/files", Tags: []string{tag},
		Summary: "Upload a file, or reserve an upload",
		Description: "With a JSON body, reserves a file and returns a presigned request for its content, or a resumable upload in parts. " +
			"With multipart/form-data, accepts the parts \"parentId\", \"charset\", \"header\", \"delimiter\" and \"decimal\", if any, and then \"file\", and returns 202 with the node.",
		DefaultStatus: http.StatusCreated,
		Middlewares:   huma.Middlewares{web.OnMediaType("multipart/form-data", a.postMultipart)},
		RequestBody:   accept.FormBody(formFields()),
		Responses:     accept.FormTaken[library.NodeView](r, "The file is stored and will be processed", "Location", "ETag"),
	}, a.postReservation, admission.Refusals, accept.Creates, changes, web.Refusals{http.StatusRequestEntityTooLarge: {"file-too-large"}})
	calls := accept.Calls[item, FileParam, nodeOutput]{
		Router: r, Tag: tag, Name: "library-file", Path: "/v1/library/files/{id}", Find: a.writable, Problem: a.Problem,
		Output: func(i item, c web.Caller) *nodeOutput { return output(i.node, caller(c)) },
	}
	calls.Uploads(a.Items, web.Refusals{http.StatusForbidden: {"other-owner"}, http.StatusConflict: {"not-a-file"}}, processing)
	accept.Post(calls, huma.Operation{
		OperationID: "retry-library-file", Path: "/v1/library/files/{id}/retry", Summary: "Process a Failed or ProcessedPartially file again",
	}, a.repeated(a.store.Retry), processing)
	accept.Post(calls, huma.Operation{
		OperationID: "reprocess-library-file", Path: "/v1/library/files/{id}/reprocess",
		Summary: "Process a Processed file again, for example with newer engines, or with other options",
	}, a.repeated(a.store.Reprocess), processing)
	accept.Post(calls, huma.Operation{
		OperationID: "retry-library-step", Path: "/v1/library/files/{id}/workflow/steps/{step}/retry",
		Summary:     "Run one failed step of a file again",
		Description: "The results of the other steps are retained. Returns 410 if the steps are no longer stored; retry the file instead. A slash in the name of a step is sent as %2F.",
	}, a.retryStep, processing)
}

// FileParam identifies a file or another node, and the caller.
type FileParam struct {
	web.IDParam
	web.CallerParam
}

// Item returns the id, and the caller.
func (p FileParam) Item() (id string, caller web.Caller) { return p.ID, p.Caller }

type uploadInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as that file exists; a call with other parameters or other content gets 422"`
	Body           struct {
		Name        string `json:"name" minLength:"1" maxLength:"1024"`
		ContentType string `json:"contentType,omitempty" maxLength:"255" pattern:"^([!-~]([ -~]*[!-~])?)?$" doc:"media type; the workflow depends on the content only"`
		accept.Declared
		ParentID string              `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
		Options  library.ReadOptions `json:"options,omitzero" doc:"how the file is read; default: all of it is detected"`
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
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	digest, err := a.Digest(in.Body.Declared)
	if err != nil {
		return nil, err
	}
	options, err := checked(in.Body.Options)
	if err != nil {
		return nil, err
	}
	made, created, err := a.reserve(ctx, in.IdempotencyKey, library.NewFile{
		NewNode:     library.NewNode{Owner: in.OwnerID, ParentID: in.Body.ParentID, Name: in.Body.Name},
		ContentType: in.Body.ContentType, SHA256: digest, Length: in.Body.Size, Options: options,
	}, quota.Item{Bytes: in.Body.Size, InParts: in.Body.Parts}, nil)
	if err != nil {
		return nil, err
	}
	out := &uploadOutput{Location: location(made.node.ID), ETag: made.node.ETag()}
	out.Body.NodeView = made.node.View(library.Caller{Owner: in.OwnerID})
	out.Body.Upload, err = a.Open(ctx, made, created, in.Body.Parts, blob.Terms{Size: made.file.Length, ContentType: made.file.ContentType, SHA256: digest})
	return out, err
}

// parentPart is the name of the multipart field with the id of the folder.
const parentPart = "parentId"

// formFields describes the fields before the file of a form.
func formFields() map[string]*huma.Schema {
	fields := map[string]*huma.Schema{parentPart: {Type: "string", Format: "uuid"}}
	for _, name := range library.OptionNames() {
		fields[name] = &huma.Schema{Type: "string"}
	}
	return fields
}

// checked checks the options in the body of a call.
func checked(o library.ReadOptions) (library.ReadOptions, error) {
	o, name, err := o.Checked()
	if err != nil {
		return o, web.Invalid(web.FieldError{Field: "body.options." + name, Message: err.Error()})
	}
	return o, nil
}

// postMultipart is the plain handler for POST /v1/library/files with a form.
func (a *Area) postMultipart(w http.ResponseWriter, r *http.Request) {
	made, err := a.Receive(w, r, func(ctx context.Context, owner, key string, sent *receive.File, bytes int64) (item, bool, error) {
		parent := sent.Fields[parentPart]
		if parent != "" && !library.ValidID(parent) {
			return item{}, false, web.Invalid(web.FieldError{Field: "body." + parentPart, Message: "is not a UUID"})
		}
		var options library.ReadOptions
		for _, name := range library.OptionNames() {
			if err := options.Set(name, sent.Fields[name]); err != nil {
				return item{}, false, web.Invalid(web.FieldError{Field: "body." + name, Message: err.Error()})
			}
		}
		return a.reserve(ctx, key, library.NewFile{
			NewNode: library.NewNode{Owner: owner, ParentID: parent, Name: sent.Name}, ContentType: sent.ContentType, Length: -1, Options: options,
		}, quota.Item{Bytes: bytes}, nil)
	}, slices.Sorted(maps.Keys(formFields()))...)
	if err == nil {
		w.Header().Set("ETag", made.node.ETag())
	}
	a.Respond(w, r, location(made.node.ID), made.node.View(library.Caller{Owner: made.node.OwnedBy}), err)
}

// reserve writes a Loading file and its node. counted states the size that counts toward quotas; it may be known even if
// the length in terms is not. refused is the reason why no new file is reserved, or nil.
func (a *Area) reserve(ctx context.Context, key string, terms library.NewFile, counted quota.Item, refused error) (made item, created bool, err error) {
	if terms.Name, err = library.CleanName(terms.Name); err != nil {
		return made, false, err
	}
	if terms.BlobID, err = library.NewID(terms.Owner, ""); err != nil {
		return made, false, err
	}
	named := terms.ParentID
	terms.Keyed = key != ""
	terms.ContentType = cmp.Or(terms.ContentType, receive.DefaultContentType)
	terms.ParentID, terms.Type, terms.Bucket = cmp.Or(named, library.RootID(terms.Owner)), cmp.Or(terms.Type, library.TypeOf(terms.ContentType)), a.Bucket.Bucket
	return accept.Reserve(ctx, a.Shared, accept.Reservation[item]{
		Owner: terms.Owner, Key: key, Find: a.reservedFile,
		Allow: func(context.Context) error { return refused },
		ID:    func(ctx context.Context) (string, error) { return a.ids.New(ctx, terms.Owner, key) },
		Counted: func(id string) []quota.Item {
			counted.Area, counted.ID = library.Name, id
			return []quota.Item{counted}
		},
		Create: func(ctx context.Context, id string) (made item, err error) {
			terms.ID = id
			terms.Key = terms.UploadKey()
			made.node, made.file, err = a.store.Reserve(ctx, terms)
			return made, a.refused(ctx, err, named, library.Caller{Owner: terms.Owner})
		},
		Same: func(i item) bool {
			terms.ID = i.node.ID
			return i.node.IsFile() && terms.ReservedAs(i.file.Key)
		},
	})
}

// reserved returns the node that an earlier call with the same idempotency key created. It returns library.ErrBusy while
// the node is being erased, because its id can be used again soon.
func (a *Area) reserved(ctx context.Context, id string) (library.Node, error) {
	n, err := a.store.Get(ctx, id)
	if err == nil && n.Erasing() {
		return n, library.ErrBusy
	}
	return n, err
}

// reservedFile is like reserved, and also returns the file of a node that is one.
func (a *Area) reservedFile(ctx context.Context, id string) (found item, err error) {
	if found.node, err = a.reserved(ctx, id); err == nil && found.node.IsFile() {
		found.file, err = a.store.File(ctx, id)
	}
	return found, err
}

// readable returns a file that the caller may read.
func (a *Area) readable(ctx context.Context, id string, c library.Caller) (library.File, error) {
	path, err := a.store.Readable(ctx, id, c)
	if err != nil {
		return library.File{}, err
	}
	if !path.Node().IsFile() {
		return library.File{}, errNotFile
	}
	return a.store.File(ctx, id)
}

// writable returns a file that the caller may change.
func (a *Area) writable(ctx context.Context, id string, c web.Caller) (item, error) {
	path, err := a.store.Writable(ctx, id, caller(c))
	if err != nil {
		return item{}, err
	}
	if !path.Node().IsFile() {
		return item{}, errNotFile
	}
	file, err := a.store.File(ctx, id)
	return item{path.Node(), file, path.Trashed()}, err
}
