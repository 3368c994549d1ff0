package parts

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/blob"
)

// TestOwnerLimit checks that an owner may open half of the uploads, and further ones after some have ended.
func TestOwnerLimit(t *testing.T) {
	var open []blob.OpenUpload
	b := &bound{limit: 4, list: func(context.Context, string, string) ([]blob.OpenUpload, bool, error) { return open, false, nil }}
	enter := func(owner string) error {
		key := fmt.Sprint(owner, len(open))
		err := b.enter(t.Context(), owner, key)
		if err == nil {
			open = append(open, blob.OpenUpload{Key: key})
		}
		return err
	}
	for i, step := range []struct {
		owner           string
		refused, owners bool
		end             bool // whether the oldest upload ends first
	}{
		{owner: "a"},
		{owner: "a"},
		{owner: "a", refused: true, owners: true},
		{owner: "b"},
		{owner: "c"},
		{owner: "d", refused: true},
		{end: true, owner: "a"},
		{owner: "a", refused: true},
	} {
		if step.end {
			open = open[1:]
		}
		err := enter(step.owner)
		tooMany, refused := errors.AsType[*tooManyError](err)
		if refused != step.refused || refused && tooMany.owners != step.owners || !refused && err != nil {
			t.Errorf("step %d, owner %s: got error %v, want refused = %t, for the owner's limit = %t", i, step.owner, err, step.refused, step.owners)
		}
	}
}
