package table_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func TestRejected(t *testing.T) {
	canceled := func(code string) error {
		return &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("None")}, {Code: &code}}}
	}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("finish: %w", tabletest.Rejected()), true}, {canceled("ValidationError"), true}, {canceled("ItemCollectionSizeLimitExceeded"), true},
		{&types.ItemCollectionSizeLimitExceededException{}, true}, {canceled("TransactionConflict"), false}, {canceled("ConditionalCheckFailed"), false},
		{&types.InternalServerError{}, false}, {errors.New("no connection"), false}, {nil, false},
	} {
		if got := table.Rejected(test.err); got != test.want {
			t.Errorf("%v: got %t, want %t", test.err, got, test.want)
		}
	}
}
