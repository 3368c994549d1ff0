package library

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Person is the description of an owner, which is stored in the owner's root. Every field may be empty.
type Person struct{ DisplayName, FirstName, LastName, LoginName, Email, Avatar string }

// Introduce writes the description of an owner into its root unless it is already stored. Errors are those of
// edits.
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
