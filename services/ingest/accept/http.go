package accept

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

// FormBody describes a form with a file and other fields.
func FormBody(fields map[string]*huma.Schema) *huma.RequestBody {
	properties := map[string]*huma.Schema{receive.FilePart: {Type: "string", Format: "binary"}}
	for name, schema := range fields {
		properties[name] = schema
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: "object", Required: []string{receive.FilePart}, Properties: properties}},
	}}
}

// FormTaken describes the response to a form, which is not a typed operation, with a view V and text headers.
func FormTaken[V any](r *web.Router, description string, headers ...string) map[string]*huma.Response {
	all := map[string]*huma.Param{}
	for _, name := range headers {
		all[name] = &huma.Param{Schema: &huma.Schema{Type: "string"}}
	}
	return map[string]*huma.Response{"202": {
		Description: description, Headers: all,
		Content: map[string]*huma.MediaType{"application/json": {
			Schema: r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[V](), true, ""),
		}},
	}}
}

// Declared is what a reservation declares about the content. It is embedded in request bodies.
type Declared struct {
	Size   int64  `json:"size" minimum:"0" doc:"exact size in bytes"`
	SHA256 string `json:"sha256,omitempty" maxLength:"64" doc:"digest of the content, in hex or base64; S3 rejects other content. Not for uploads in parts, which use CRC-32"`
	Parts  bool   `json:"parts,omitempty" doc:"upload the file in parts; required above 5 GiB"`
}

// Digest checks what a reservation declares. It returns the digest in base64, or a problem.
func (s *Items[I]) Digest(d Declared) (digest string, err error) {
	digest, err = receive.ParseDigest(d.SHA256)
	if err != nil {
		return "", web.Invalid(web.FieldError{Field: "body.sha256", Message: err.Error()})
	}
	if d.Size > s.Receiver.MaxSize {
		return "", s.Receiver.TooLarge()
	}
	return digest, parts.CheckReservation(d.Parts, d.Size, digest)
}

// Respond writes the response to a form: an item that is stored, or a problem.
func (s *Items[I]) Respond(w http.ResponseWriter, r *http.Request, location string, view any, err error) {
	if err != nil {
		web.WriteError(w, r, s.Problem(err))
		return
	}
	w.Header().Set("Location", location)
	web.WriteJSON(w, http.StatusAccepted, view)
}
