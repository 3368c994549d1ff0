package library

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Person is what is known of an owner, for its root. Every field may be empty.
type Person struct{ DisplayName, FirstName, LastName, LoginName, Email, Avatar string }

// Introduce writes what is known of an owner into its root, and nothing if that is there. Errors are those
// of edits.
func (s *Store) Introduce(ctx context.Context, owner string, p Person) error {
	root, err := s.ensureRoot(ctx, owner)
	if err != nil || root.person() == p {
		return err
	}
	_, err = s.change(ctx, "introduce", root.ID, Edit{By: owner}, func(n Node) (Node, []types.TransactWriteItem, error) {
		n.DisplayName, n.FirstName, n.LastName, n.LoginName, n.Email, n.Avatar = p.DisplayName, p.FirstName, p.LastName, p.LoginName, p.Email, p.Avatar
		return n, nil, nil
	})
	return err
}

func (n Node) person() Person {
	return Person{n.DisplayName, n.FirstName, n.LastName, n.LoginName, n.Email, n.Avatar}
}
