package library

import (
	"context"

	"github.com/assay-project/assay/services/analyzer/sweeper"
)

type sweep struct{ *Area }

func (s sweep) run(context.Context, *sweeper.Run) error { return nil }
