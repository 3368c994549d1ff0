package send

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
)

// refused lists the problems of sources and targets that accept.Creates does not contain.
var refused = web.Refusals{
	http.StatusForbidden: {"other-owner"},
	http.StatusNotFound:  {"link-not-valid"},
	http.StatusConflict: {
		"not-uploaded", "not-as-reserved", "not-completed", "not-a-file", "changed-meanwhile",
		"provider-disabled", "in-trash", "not-a-folder", "too-deep", "other-owner",
	},
	http.StatusGone:                  {"upload-removed", "photo-removed", "content-removed"},
	http.StatusRequestEntityTooLarge: {"file-too-large"},
	http.StatusUnsupportedMediaType:  {"not-a-photo"},
	http.StatusUnprocessableEntity:   {"file-empty"},
}

// Routes registers the call.
func (s *Service) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "send-item", Method: http.MethodPost, Path: "/v1/items/{area}/{id}/send", Tags: []string{"items"},
		Summary: "Create an item with the content of another one",
		Description: "Copies the content of a text file, a photo or a library file to a new item of the caller, in the same area or in another one: " +
			"to count its words (textfile), to edit it (photojob), or to process and store it (library). The content is copied within the server. " +
			"The caller must be allowed to download the content. The new item is independent of the other one. " +
			"Its checks, quotas and limits are those of an upload to its area, and so are the problems of a refusal.",
		DefaultStatus: http.StatusAccepted,
	}, s.post, admission.Refusals, accept.Creates, refused)
}

type sendInput struct {
	web.OwnerParam
	Area           string `path:"area" maxLength:"64" example:"textfile" doc:"the area of the item: textfile, photojob or library"`
	ID             string `path:"id" maxLength:"64" doc:"the id of the item"`
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the item that the first call created, as long as that item exists, even if the content was deleted; a call with other parameters gets 422"`
	Body           struct {
		To       string  `json:"to" maxLength:"64" example:"library" doc:"the area of the new item: textfile, photojob or library"`
		Content  string  `json:"content,omitempty" enum:"original,result" doc:"what to copy: the content as it was uploaded, the default, or the edited photo"`
		Link     string  `json:"link,omitempty" maxLength:"200" doc:"the token of a share link to the library file, or to a folder above it"`
		Name     string  `json:"name,omitempty" maxLength:"1024" doc:"the name of the new item; default: that of the content, changed where the area does not accept it"`
		ParentID string  `json:"parentId,omitempty" format:"uuid" doc:"to the library: id of a folder; default: the root"`
		Prompt   string  `json:"prompt,omitempty" maxLength:"2000" doc:"to photojob: how to edit the photo; default: enhance"`
		Options  Options `json:"options,omitempty" doc:"the options of POST /v1/photos or POST /v1/library/files"`
	}
}

// SentItem is an item that a call created.
type SentItem struct {
	Area string `json:"area" example:"library"`
	ID   string `json:"id" example:"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"`
	URL  string `json:"url" example:"/v1/library/nodes/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"the path of the call that reads the item"`
}

func (s *Service) post(ctx context.Context, in *sendInput) (*accept.Located[SentItem], error) {
	sent, err := s.Send(ctx, web.CallerOf(ctx), saved.Item{Area: in.Area, ID: in.ID}, Order{
		Owner: in.OwnerID, Named: in.Named(), Key: in.IdempotencyKey, To: in.Body.To, Content: in.Body.Content, Link: in.Body.Link,
		Name: in.Body.Name, ParentID: in.Body.ParentID, Prompt: in.Body.Prompt, Options: in.Body.Options,
	})
	if err != nil {
		return nil, err
	}
	return &accept.Located[SentItem]{Location: sent.URL, Body: sent}, nil
}

// Schema implements huma.SchemaProvider.
func (Options) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "the options of POST /v1/photos or POST /v1/library/files"}
}
