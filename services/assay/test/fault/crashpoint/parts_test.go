package crashpoint

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"

	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// reserveParts reserves a file with an upload in parts by a POST to path, and returns the upload id. nameOf is the JSON
// field for the file name.
func (r *run) reserveParts(ctx context.Context, path, nameOf string, size int) (uploadID string) {
	_, answer := r.send(ctx, request{
		method: http.MethodPost, path: path, header: jsonBody,
		body: fmt.Appendf(nil, `{%q:"parts.txt","size":%d,"contentType":"text/plain","parts":true}`, nameOf, size), want: []int{http.StatusCreated},
	})
	var reserved struct{ Upload struct{ UploadID string } }
	r.decode(answer, &reserved)
	return reserved.Upload.UploadID
}

var jsonBody = map[string]string{"Content-Type": "application/json"}

// decode decodes a response, unless the client gave up.
func (r *run) decode(answer []byte, into any) {
	if r.abandoned {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
	}
}

// sendParts uploads the only part of a file, lists it and reports the upload.
func (r *run) sendParts(ctx context.Context, file, uploadID, content string) {
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(content))))
	_, answer := r.send(ctx, request{
		method: http.MethodPost, path: file + "/parts", header: jsonBody,
		body: fmt.Appendf(nil, `{"uploadId":%q,"numbers":[1],"crc32":[%q]}`, uploadID, sum), want: []int{http.StatusOK},
	})
	var signed struct {
		Parts []struct {
			URL     string
			Headers map[string]string
		}
	}
	if r.decode(answer, &signed); r.abandoned || len(signed.Parts) != 1 {
		return
	}
	r.send(ctx, request{method: http.MethodPut, path: signed.Parts[0].URL, header: signed.Parts[0].Headers, body: []byte(content), want: []int{http.StatusOK}})
	r.send(ctx, request{method: http.MethodGet, path: file + "/parts?uploadId=" + url.QueryEscape(uploadID), want: []int{http.StatusOK}})
	if !r.abandoned {
		r.send(ctx, request{
			method: http.MethodPost, path: file + "/uploaded", header: jsonBody,
			body: fmt.Appendf(nil, `{"uploadId":%q}`, uploadID), want: []int{http.StatusAccepted},
		})
	}
}

func inParts(ctx context.Context, r *run) {
	r.begin()
	uploadID := r.reserveParts(ctx, "/v1/files", "fileName", len(text))
	if !r.abandoned {
		r.sendParts(ctx, "/v1/files/"+r.id(ctx), uploadID, text)
	}
	r.promised(ctx, audit.Promise{Result: statistics})
}

func partsDeleted(ctx context.Context, r *run) {
	r.begin()
	r.reserveParts(ctx, "/v1/files", "fileName", len(text))
	r.delete(ctx)
}

func nodeInParts(ctx context.Context, r *run) {
	r.begin()
	r.next()
	uploadID := r.reserveParts(ctx, "/v1/library/files", "name", len(text))
	if !r.abandoned {
		r.sendParts(ctx, "/v1/library/files/"+r.nodeID(), uploadID, text)
	}
	r.promisedNode(ctx, r.nodeID(), "Processed /parts.txt")
}
