//go:build !noclients

package postgres_test

import (
	"testing"

	"github.com/assay-project/assay/services/query/search/searchtest"
)

func TestIndex(t *testing.T) { searchtest.Run(t, opener(database(t))) }
