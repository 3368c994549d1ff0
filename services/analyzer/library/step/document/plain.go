package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	plainEngine = "plaintext 1"
	// plainMemory is the maximum memory for a text: its bytes, and two copies in UTF-8 that grow.
	plainMemory = 10 * maxText
)

// PlainText returns the step that stores the text of a text file as UTF-8.
func PlainText() step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, plainMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		data, err := f.Head(ctx, maxText)
		if err != nil {
			return step.Result{}, err
		}
		s, err := decode(data, f.ContentType)
		if err != nil {
			return step.Result{}, err
		}
		cut := ""
		if f.Size > maxText || len(s) > maxText {
			cut, s = fmt.Sprintf("only the first %d bytes of the text are stored", maxText), strings.ToValidUTF8(s[:min(len(s), maxText)], "")
		}
		return text(ctx, f, plainEngine, s, cut)
	}}
}

// decode decodes a text from its charset.
func decode(data []byte, contentType string) (string, error) {
	rule := plaintext.Declared
	for {
		r, err := rule.NewReader(bytes.NewReader(data), contentType)
		if _, unknown := errors.AsType[*plaintext.UnknownCharsetError](err); unknown && contentType != "" {
			contentType = ""
			continue
		}
		var s []byte
		if err == nil {
			s, err = io.ReadAll(r)
		}
		if again, restarts := errors.AsType[*plaintext.RestartError](err); restarts {
			rule = again.Next
			continue
		}
		return string(s), err
	}
}
