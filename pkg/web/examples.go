package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// complete adds derived content to an API description: the list of tags, descriptions, the lists of problems and headers,
// and examples of all requests and responses.
func complete(api *huma.OpenAPI) {
	document(api)
	api.Info.Description = strings.TrimSpace(api.Info.Description + "\n\n" + describeHeaders(api) + describeProblems(api))
	c := composer{api.Components.Schemas}
	for _, op := range Operations(api) {
		var body any
		if op.RequestBody != nil {
			body = c.media(op.RequestBody.Content)
		}
		for status, response := range op.Responses {
			if strings.HasPrefix(status, "2") {
				c.media(response.Content)
			}
		}
		op.Extensions["x-codeSamples"] = []map[string]string{{"lang": "Shell", "label": "curl", "source": c.curl(op, body)}}
	}
}

// describeProblems returns the list of all problems of an API description in Markdown. A problem with several statuses
// has a line for each.
func describeProblems(api *huma.OpenAPI) string {
	found := map[string]string{} // lines by name and status
	for _, op := range Operations(api) {
		for status, slugs := range Problems(op) {
			for _, slug := range slugs {
				found[fmt.Sprintf("%s %d", slug, status)] = fmt.Sprintf("| `%s` | %d | %s |\n", slug, status, NewProblem(status, slug, "").Title)
			}
		}
	}
	var out strings.Builder
	out.WriteString("# Problems\n\nEvery error response is a problem as defined by RFC 9457. Its `type` is `" + typePrefix +
		"` and one of these names, which never change. `detail` describes the error in the request, and `errors` lists the invalid fields. " +
		"`x-problems` of an operation lists the problems that it can return, by status.\n\n| name | status | title |\n|---|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(found)) {
		out.WriteString(found[key])
	}
	return out.String()
}

// composer composes examples of schemas from the examples of their parts.
type composer struct{ schemas huma.Registry }

// media sets the examples of contents that have none, and returns the example of the JSON content.
func (c composer) media(content map[string]*huma.MediaType) any {
	var body any
	for kind, media := range content {
		if media.Schema == nil {
			continue
		}
		if media.Example == nil && len(media.Examples) == 0 {
			switch {
			case kind == "application/json", kind == "multipart/form-data":
				media.Example = c.example("", media.Schema, 0)
			case kind == "text/event-stream":
				media.Example = "id: 17\nevent: completed\ndata: {\"area\":\"textfile\",\"id\":\"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44\"}\n\n"
			}
		}
		if kind == "application/json" {
			body = media.Example
		}
	}
	return body
}

// maxNesting limits the depth of the example of a schema that contains itself.
const maxNesting = 10

// unusual matches the names of optional fields that items usually do not have.
var unusual = regexp.MustCompile(`(?i)error|fail|degraded|suspended|until|trashed|reason|^note$`)

// example returns an example of the schema of a field with this name.
func (c composer) example(name string, s *huma.Schema, depth int) any {
	if s.Ref != "" {
		s = c.schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case s == nil || depth > maxNesting:
		return nil
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return c.example(name, s.OneOf[0], depth+1)
	case len(s.AnyOf) > 0:
		return c.example(name, s.AnyOf[0], depth+1)
	}
	switch s.Type {
	case huma.TypeArray:
		if s.Items == nil || depth == maxNesting {
			return []any{}
		}
		return []any{c.example(strings.TrimSuffix(name, "s"), s.Items, depth+1)}
	case huma.TypeBoolean:
		return false
	case huma.TypeInteger, huma.TypeNumber:
		switch {
		case s.Minimum != nil && *s.Minimum > 1:
			return *s.Minimum
		case s.Maximum != nil && *s.Maximum < 1:
			return *s.Maximum
		}
		return 1
	case huma.TypeString:
		return text(name, s)
	case huma.TypeObject:
		return c.object(s, depth)
	}
	return map[string]any{}
}

func (c composer) object(s *huma.Schema, depth int) map[string]any {
	object := map[string]any{}
	for name, of := range s.Properties {
		if !slices.Contains(s.Required, name) && (unusual.MatchString(name) || depth == maxNesting) {
			continue
		}
		if value := c.example(name, of, depth+1); value != nil {
			object[name] = value
		}
	}
	return object
}

// texts contains examples of strings. The first one that fits is used.
var texts = []string{
	"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "2026-11-24", "2026-11-24T08:00:00Z", "01JDF3M7Q8ZX5V4T2W9K6N1R0B", "text/plain", "30s", "a1", "A1", "ABCDEFGHIJ",
	"AAAAAA==", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "d41d8cd98f00b204e9800998ecf8427e", "urn:assay:problem:not-found", "1",
}

// usual contains examples for fields whose schemas have none.
var usual = map[string]string{
	"fileName": "report.txt", "originalFileName": "beach.jpg", "displayName": "report.pdf", "name": "report.pdf", "contentType": "text/plain", "mimeType": "image/png",
	"md5": "d41d8cd98f00b204e9800998ecf8427e", "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"ownerId": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "ownedBy": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "userId": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44",
	OwnerHeader: "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "owner": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "user": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44",
	"group": "chemists", "loginName": "ada", "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com", "avatar": "https://example.com/ada.png",
	"If-Match": `"v3"`, "key": "assay_reader_0123456789abcdef", "keyId": "reader", "url": "https://example.com/upload", "notDetermined": "logP",
	"options": `{"format":"png"}`, "detail": "The node does not exist.", "item": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "fileId": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "jobId": "01JDF3M7Q8ZX5V4T2W9K6N1R0B",
	"id": "01JDF3M7Q8ZX5V4T2W9K6N1R0B", "batchId": "01JDF3M7Q8ZX5V4T2W9K6N1R0B", "nodeId": "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "nextCursor": "eyJhZnRlciI6IjE3In0", "cursor": "eyJhZnRlciI6IjE3In0", "sourceId": "reddit#1hx2k9", "tag": "space",
	"text": "What a wonderful launch!", "textSnippet": "What a wonderful launch!", "word": "the", "prompt": "make the sky blue", "description": "A beach at sunset.",
	"method": "PUT", "uploadId": "VXBsb2FkIElE", "crc32": "y/Q5Jg==", "provider": "local", "model": "gemini-3.1-flash-image", "consumer": "analyzer-textfile",
	"subject": "assay.file.uploaded.0192f7c0-7a3c-7cc1-b111-53f1c30f1c44", "eventId": "file.uploaded/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44/9e107d9d",
	"type": "assay.v1.FileUploaded", "language": "en", "matchedTag": "space", "ignoredTag": "space", "modelVersion": "v1.3.0", "operation": "move", "engine": "assay 1.0", "baseUrl": "https://generativelanguage.googleapis.com", "token": "c2hhcmVkIGxpbms",
}

// text returns a string that fits the schema of a field.
func text(name string, s *huma.Schema) string {
	switch s.Format {
	case "date-time":
		return "2026-11-24T08:00:00Z"
	case "date":
		return "2026-11-24"
	case "uuid":
		return "0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"
	case "uri":
		return "https://example.com/" + name
	}
	candidates := append([]string{cmp.Or(usual[name], name), name}, texts...)
	for _, candidate := range candidates {
		fits := s.MinLength == nil || len(candidate) >= *s.MinLength
		fits = fits && (s.MaxLength == nil || len(candidate) <= *s.MaxLength)
		if fits && s.Pattern != "" {
			matched, err := regexp.MatchString(s.Pattern, candidate)
			fits = err == nil && matched
		}
		if fits && candidate != "" {
			return candidate
		}
	}
	return name
}

// curl returns the command that makes a call. The address of the server is in the variable ASSAY.
func (c composer) curl(op *huma.Operation, body any) string {
	path, separator := op.Path, "?"
	var headers strings.Builder
	for _, p := range op.Parameters {
		if p.Schema == nil || !p.Required && p.Name != OwnerHeader && p.Name != "If-Match" {
			continue
		}
		value := p.Example
		if value == nil {
			value = c.example(p.Name, p.Schema, 0)
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(value)))
		case "query":
			path += separator + p.Name + "=" + url.QueryEscape(fmt.Sprint(value))
			separator = "&"
		case "header":
			fmt.Fprintf(&headers, " \\\n  -H '%s: %v'", p.Name, value)
		}
	}
	command := "curl"
	if op.Method != http.MethodGet && (body == nil || op.Method != http.MethodPost) {
		command += " -X " + op.Method
	}
	command += fmt.Sprintf(" \"$ASSAY%s\"%s", path, headers.String())
	if body != nil {
		if text, err := json.Marshal(body); err == nil {
			command += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(string(text), "'", `'\''`) + "'"
		}
	}
	return command
}
