package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Problem is an error response of the server (RFC 9457). Its text is meant for users.
type Problem struct {
	Type     string         `json:"type"`
	Title    string         `json:"title"`
	Status   int            `json:"status"`
	Detail   string         `json:"detail"`
	Instance string         `json:"instance"`
	Errors   []FieldProblem `json:"errors"`
	// RequestID identifies the request in the server's logs.
	RequestID string `json:"-"`
	// Anonymous reports whether the request had no token.
	Anonymous bool `json:"-"`
	// RetryAfter is the delay that the server requests before a retry, or 0.
	RetryAfter time.Duration `json:"-"`
}

// FieldProblem is an invalid field of a request.
type FieldProblem struct {
	Field   string `json:"field"` // such as body.fileName
	Message string `json:"message"`
}

func (p *Problem) Error() string {
	text := cmp.Or(p.Detail, p.Title, fmt.Sprintf("the server responded with %d %s", p.Status, http.StatusText(p.Status)))
	if len(p.Errors) > 0 {
		var fields []string
		for _, field := range p.Errors {
			fields = append(fields, field.sentence())
		}
		text = cmp.Or(p.Title, http.StatusText(p.Status)) + ": " + strings.Join(fields, "; ")
	}
	if p.Status >= http.StatusInternalServerError && p.RequestID != "" {
		text += " (request " + p.RequestID + ")"
	}
	return text
}

// sentence names the field without its place in the request, which is of no use to users of a command, and once.
func (f FieldProblem) sentence() string {
	name := f.Field
	if _, after, nested := strings.Cut(name, "."); nested {
		name = after
	}
	if name == "X-Owner-Id" {
		name = "the owner id"
	}
	if strings.HasPrefix(f.Message, name+",") || strings.HasPrefix(f.Message, name+" ") {
		return f.Message
	}
	return name + " " + f.Message
}

// busy reports whether the same request may succeed later.
func (p *Problem) busy() bool {
	switch p.Status {
	case http.StatusTooManyRequests:
		return p.RetryAfter > 0 // otherwise waiting does not help, as with a quota of stored bytes
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// largestProblem is the maximum number of bytes read from an error response.
const largestProblem = 64 << 10

// readProblem reads an error response and closes its body. If the response is not a problem, for
// example from a proxy, the result contains only the status.
func readProblem(resp *http.Response) error {
	problem := &Problem{}
	content, err := io.ReadAll(io.LimitReader(resp.Body, largestProblem))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		problem.Detail = "the response is incomplete: " + err.Error()
	} else if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && strings.HasSuffix(media, "json") {
		if err := json.Unmarshal(content, problem); err != nil {
			problem = &Problem{}
		}
	}
	problem.Status = resp.StatusCode
	problem.Anonymous = resp.Request.Header.Get("Authorization") == ""
	problem.RequestID = resp.Header.Get("X-Request-Id")
	problem.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	return problem
}

// retryAfter parses both forms of the header: a number of seconds and a date. It returns 0 for any other value.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
