package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

const (
	maxFieldErrors = 32  // per problem; a body with many invalid items must not cause a longer response
	maxFieldName   = 200 // bytes; a name may come from the client
)

// unreadable is huma's detail for a truncated or badly framed body. huma sends a 500 for it, although it is the
// client's fault.
const unreadable = "cannot read request body"

// tooLarge is huma's detail for a body that is larger than the operation accepts.
const tooLarge = "request body is too large limit=%d bytes"

// largest returns the text about the body size that an operation accepts.
func largest(limit int64) string {
	return fmt.Sprintf("The body is larger than the limit of %d bytes.", limit)
}

// transform returns the hook for every body that huma writes. It converts huma's own errors to a
// Problem, so huma's package-global constructors remain unchanged.
func transform(schemas huma.Registry) huma.Transformer {
	return func(ctx huma.Context, _ string, v any) (any, error) {
		switch v := v.(type) {
		case *Problem:
			return settle(ctx.Context(), v), nil
		case *huma.ErrorModel:
			p := problemOfModel(v)
			if body := ctx.Operation().RequestBody; body != nil && body.Content["application/json"] != nil {
				nameFields(p.Errors, schemas, body.Content["application/json"].Schema)
			}
			for name, values := range p.header {
				ctx.SetHeader(name, values[0])
			}
			if p.Status != v.Status {
				ctx.SetStatus(p.Status) // before huma's own: only the first status is used
			}
			return settle(ctx.Context(), p), nil
		case encoded:
			ctx.SetHeader("Content-Length", strconv.Itoa(len(v.encoded())))
		}
		return v, nil
	}
}

// problemOfModel copies status and messages and omits the invalid values.
func problemOfModel(model *huma.ErrorModel) *Problem {
	status := model.Status
	if model.Detail == unreadable && len(model.Errors) > 0 && model.Errors[0].Message == ErrBodiesFull.Error() {
		return bodiesProblem().Because(ErrBodiesFull)
	}
	if status == http.StatusInternalServerError && model.Detail == unreadable {
		status = http.StatusBadRequest
	}
	if slices.ContainsFunc(model.Errors, func(detail *huma.ErrorDetail) bool {
		return detail != nil && strings.HasPrefix(detail.Message, loneSurrogateAt)
	}) {
		status = http.StatusUnprocessableEntity // the syntax is valid
	}
	p := statusProblem(status)
	if status >= http.StatusInternalServerError {
		causes := []error{errors.New(model.Detail)}
		for _, detail := range model.Errors {
			causes = append(causes, errors.New(detail.Message))
		}
		return p.Because(errors.Join(causes...))
	}
	if status == http.StatusRequestEntityTooLarge || status == http.StatusRequestTimeout {
		p = p.WithHeader("Connection", "close")
	}
	var limit int64
	if _, err := fmt.Sscanf(model.Detail, tooLarge, &limit); err == nil {
		p.Detail = largest(limit)
	} else if model.Detail != "validation failed" && model.Detail != unreadable {
		p.Detail = sentence(model.Detail)
	}
	if status == http.StatusUnsupportedMediaType || model.Detail == unreadable {
		return p // huma's message repeats what the client sent, or concerns no field
	}
	for _, detail := range model.Errors[:min(len(model.Errors), maxFieldErrors)] {
		if detail == nil {
			continue
		}
		p.Errors = append(p.Errors, fieldError(detail))
	}
	return p
}

// fieldError converts an error of huma. For a missing field huma names the object that lacks it.
func fieldError(detail *huma.ErrorDetail) FieldError {
	before, after, _ := strings.Cut(validation.MsgExpectedRequiredProperty, "%s")
	if name, ok := strings.CutPrefix(detail.Message, before); ok {
		return FieldError{Field: shorten(detail.Location + "." + strings.TrimSuffix(name, after)), Message: "is required"}
	}
	if path, ok := strings.CutPrefix(detail.Message, loneSurrogateAt); ok {
		return loneSurrogateIn(detail.Location, path)
	}
	return FieldError{Field: shorten(detail.Location), Message: plain(detail.Message)}
}

func shorten(name string) string {
	if len(name) <= maxFieldName {
		return name
	}
	return strings.ToValidUTF8(name[:maxFieldName], "") + "…"
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// jsonFormat reads and writes JSON bodies. Its errors state the position of the fault and do not
// repeat the input.
func jsonFormat() huma.Format {
	return huma.Format{
		Marshal: func(w io.Writer, v any) error {
			if done, ok := v.(encoded); ok {
				_, err := w.Write(done.encoded())
				return err
			}
			return encode(w, v)
		},
		Unmarshal: func(data []byte, v any) error {
			if !utf8.Valid(data) {
				return errors.New("is not UTF-8")
			}
			err := json.Unmarshal(data, v)
			if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
				return fmt.Errorf("is not valid JSON at byte %d", bad.Offset)
			}
			if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				return fmt.Errorf("has a value of the wrong type or range at %s", bad.Field)
			}
			if err != nil {
				return err
			}
			if path, found := loneSurrogate(data); found {
				return errors.New(loneSurrogateAt + path)
			}
			return nil
		},
	}
}
