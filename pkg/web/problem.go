package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// typePrefix begins every problem type. The types are names, not URLs: they cannot be fetched.
const typePrefix = "urn:assay:problem:"

// Problem is an error for a client in the form of RFC 9457. Type is stable: clients may branch on
// it. Return it from an operation, or pass it to WriteError.
type Problem struct {
	Type     string       `json:"type" doc:"identifies the kind of problem; stable" pattern:"^urn:assay:problem:[a-z-]+$" example:"urn:assay:problem:not-found"`
	Title    string       `json:"title" doc:"the kind of problem in words" example:"Not found"`
	Status   int          `json:"status" doc:"the HTTP status" minimum:"400" maximum:"599" example:"404"`
	Detail   string       `json:"detail,omitempty" doc:"what is wrong with this request, in words"`
	Instance string       `json:"instance,omitempty" format:"uri" doc:"identifies this occurrence by the request id" example:"urn:assay:request:0192f7c0-7a3c-7cc1-b111-53f1c30f1c44"`
	Errors   []FieldError `json:"errors,omitempty" doc:"errors of individual fields"`

	header http.Header // sent with the response
	cause  error       // logged and never sent
}

// FieldError describes the error of one field.
type FieldError struct {
	Field   string `json:"field" doc:"where: body.size, query.limit, header.X-Owner-Id" example:"body.size"`
	Message string `json:"message" doc:"what is wrong" example:"must be at least 0"`
}

// NewProblem returns a problem of type urn:assay:problem:<slug>. The title is the slug in words.
// The slug is lower case with dashes, and its meaning never changes.
func NewProblem(status int, slug, detail string) *Problem {
	title := strings.ReplaceAll(slug, "-", " ")
	return &Problem{
		Type:   typePrefix + slug,
		Title:  strings.ToUpper(title[:1]) + title[1:],
		Status: status,
		Detail: detail,
	}
}

// Invalid returns the 422 problem for a request whose fields were parsed but have invalid values. It has
// the form of the problem for a request that violates the schema.
func Invalid(fields ...FieldError) *Problem {
	p := statusProblem(http.StatusUnprocessableEntity)
	p.Errors = fields
	return p
}

// InvalidCursor returns the 422 problem for a list's cursor parameter that does not belong to the list.
func InvalidCursor() *Problem {
	return Invalid(FieldError{Field: "query.cursor", Message: "is not a cursor of this list; start again without it"})
}

// NotFound returns the 404 problem for an item that does not exist.
func NotFound(detail string) *Problem {
	p := statusProblem(http.StatusNotFound)
	p.Detail = detail
	return p
}

// Unavailable returns the 503 problem for a service that is at capacity or cannot reach a backend, with a
// Retry-After of at least one second.
func Unavailable(detail string, retryAfter time.Duration) *Problem {
	p := statusProblem(http.StatusServiceUnavailable)
	p.Detail = detail
	return p.WithHeader("Retry-After", seconds(retryAfter))
}

// seconds returns the value of a Retry-After, at least 1.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Second-1)/time.Second)))
}

// Internal returns the 500 problem. The cause is logged and not sent to the client.
func Internal(cause error) *Problem {
	return statusProblem(http.StatusInternalServerError).Because(cause)
}

// WithHeader sets a header of the response, and returns p.
func (p *Problem) WithHeader(name, value string) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// Because records the cause for errors.Is and, if the status is 500 or above, for the log. It
// returns p. The cause is not sent to the client.
func (p *Problem) Because(cause error) *Problem {
	p.cause = cause
	return p
}

// Error returns title, detail and cause, for logs.
func (p *Problem) Error() string {
	text := p.Title
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	if p.cause != nil {
		text += ": " + p.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.cause }

// GetStatus makes p a huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders makes p a huma.HeadersError.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType makes p a huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// statusProblem returns the problem for a status without a specific type.
func statusProblem(status int) *Problem {
	slug, detail := "error", ""
	switch status {
	case http.StatusBadRequest:
		slug, detail = "bad-request", "The request is malformed."
	case http.StatusForbidden:
		slug = "forbidden"
	case http.StatusNotFound:
		slug, detail = "not-found", "There is no resource at this path."
	case http.StatusMethodNotAllowed:
		slug, detail = "method-not-allowed", "The method is not allowed here; see the Allow header."
	case http.StatusNotAcceptable:
		slug, detail = "not-acceptable", "The response is not available in a media type that the Accept header allows."
	case http.StatusRequestTimeout:
		slug, detail = "request-timeout", "The body did not arrive in time."
	case http.StatusConflict:
		slug = "conflict"
	case http.StatusRequestEntityTooLarge:
		slug, detail = "body-too-large", "The body is larger than this operation accepts."
	case http.StatusUnsupportedMediaType:
		slug, detail = "unsupported-media-type", "The body must be application/json."
	case http.StatusUnprocessableEntity:
		slug, detail = "invalid-request", "The request has values that are not valid; see errors."
	case StatusClientGone:
		slug = "client-gone"
	case http.StatusInternalServerError:
		slug, detail = "internal", "Internal error. The service's log contains the details for this request id."
	case http.StatusServiceUnavailable:
		slug, detail = "unavailable", "The service cannot accept this request now."
	default:
		if text := http.StatusText(status); text != "" {
			slug = strings.ReplaceAll(strings.ToLower(text), " ", "-")
		}
	}
	return NewProblem(status, slug, detail)
}
