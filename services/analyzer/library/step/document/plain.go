package document

import (
	"context"
	"fmt"
	"maps"
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
		decoded, outcome, err := plaintext.Decode(data, f.ContentType)
		if err != nil {
			return step.Result{}, err
		}
		s, cut := string(decoded), ""
		if f.Size > maxText || len(s) > maxText {
			cut, s = fmt.Sprintf("only the first %d bytes of the text are stored", maxText), strings.ToValidUTF8(s[:min(len(s), maxText)], "")
		}
		r, err := text(ctx, f, plainEngine, s, cut, nil)
		maps.Copy(r.Metadata, step.Decoding(outcome))
		return r, err
	}}
}
