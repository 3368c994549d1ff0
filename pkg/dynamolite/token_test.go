package dynamolite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// adds runs a transaction that adds one to an item, once with each token.
func (s *service) adds(tokens ...string) {
	s.t.Helper()
	for _, token := range tokens {
		if err := s.transact(token, types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String("left"), Key: item("id", "sum"), UpdateExpression: aws.String("ADD n :n"), ExpressionAttributeValues: item(":n", 1),
		}}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestTokensSurviveARestart checks that after a checkpoint, a close or a power failure, a
// repeated request has no effect, and a different request with the same token is rejected.
func TestTokensSurviveARestart(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	var tokens []string
	addMore := func() {
		for range 20 {
			tokens = append(tokens, fmt.Sprintf("token-%d", len(tokens)))
			s.adds(tokens[len(tokens)-1])
		}
	}
	check := func(s *service) {
		t.Helper()
		s.adds(tokens...)
		if got := text(s.get("left", item("id", "sum")), "n"); got != fmt.Sprint(len(tokens)) {
			t.Errorf("after %d tokens: got n = %s, want %d", len(tokens), got, len(tokens))
		}
		for _, token := range tokens {
			wantError(t, s.transact(token, putIn("left", item("id", "other"), "")), "IdempotentParameterMismatchException")
		}
	}
	addMore()
	check(s)
	s.table("first", "id:S", "") // causes a checkpoint
	addMore()
	for i := range 12 { // causes another checkpoint, because the journal becomes full
		s.put("left", item("id", fmt.Sprint(i), "text", strings.Repeat("x", 390_000)))
		addMore()
	}
	check(s)
	db, journal := readFiles(t, path)
	check(reopened(t, db, journal, dynamolite.SyncEveryCommit))
	check(reopened(t, db, journal, dynamolite.SyncNever))
	if err := s.engine.Close(); err != nil {
		t.Fatal(err)
	}
	check(start(t, dynamolite.Options{Path: path}))
}
