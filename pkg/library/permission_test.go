package library

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/lifecycle"
)

func TestAccess(t *testing.T) {
	r := open(t)
	top := r.folder("top", "")
	folder := r.folder("shared", top.ID)
	file, _ := r.file("a.txt", folder.ID)
	bob, carl := Caller{Owner: "bob"}, Caller{Owner: "carl", Groups: []string{"chemists", "staff"}}
	check := func(what string, c Caller, id string, want error) {
		t.Helper()
		if _, err := r.Readable(t.Context(), id, c); !errors.Is(err, want) {
			t.Errorf("%s: Readable: got error %v, want %v", what, err, want)
		}
		if want == nil && c.Owner != "ann" {
			want = ErrForbidden
		}
		if _, err := r.Writable(t.Context(), id, c); !errors.Is(err, want) {
			t.Errorf("%s: Writable: got error %v, want %v", what, err, want)
		}
	}
	share := func(public bool, users, groups []string) {
		t.Helper()
		if _, err := r.Share(t.Context(), folder.ID, public, users, groups, ann); err != nil {
			t.Fatal(err)
		}
	}
	hidden := lifecycle.ErrNotFound
	check("the owner", Caller{Owner: "ann"}, file.ID, nil)
	check("a private file", bob, file.ID, hidden)
	check("an anonymous caller", Caller{}, file.ID, hidden)
	share(false, []string{"bob", "", "bob"}, nil)
	check("a user", bob, file.ID, nil)
	check("a user, above the shared folder", bob, top.ID, hidden)
	check("another user", carl, file.ID, hidden)
	share(false, nil, []string{"chemists"})
	check("a former user", bob, file.ID, hidden)
	check("a group", carl, file.ID, nil)
	share(true, nil, nil)
	check("public", Caller{}, file.ID, nil)
	if n := r.node(folder.ID); n.Version != 4 || len(n.Permissions.Users)+len(n.Permissions.Groups) != 0 {
		t.Errorf("got %+v, want version 4 without users and groups", n)
	}
	if _, err := r.Trash(t.Context(), top.ID, ann); err != nil {
		t.Fatal(err)
	}
	check("public, in the trash", bob, file.ID, hidden)
	check("the owner, in the trash", Caller{Owner: "ann"}, file.ID, nil)
	check("a root that was never written", bob, RootID("carl"), hidden)
	check("a missing node", bob, r.id(), hidden)
	if root, err := r.Writable(t.Context(), RootID("bob"), bob); err != nil || root.Node().Version != 0 {
		t.Errorf("the caller's own root: got %+v, error %v, want version 0", root, err)
	}
}

func TestPrincipalsAreLimited(t *testing.T) {
	r := open(t)
	folder := r.folder("a", "")
	var users []string
	for i := range MaxPrincipals {
		users = append(users, fmt.Sprint("user", i))
	}
	if _, err := r.Share(t.Context(), folder.ID, false, users, nil, ann); err != nil {
		t.Error(err)
	}
	if _, err := r.Share(t.Context(), folder.ID, false, users, []string{"staff"}, ann); !errors.Is(err, ErrPrincipals) {
		t.Errorf("got error %v, want ErrPrincipals", err)
	}
	if _, err := r.Share(t.Context(), folder.ID, true, nil, nil, Edit{By: "ann", IfMatch: 1}); !errors.Is(err, ErrVersion) {
		t.Errorf("got error %v, want ErrVersion", err)
	}
}

func TestLinks(t *testing.T) {
	r := open(t)
	folder := r.folder("shared", "")
	file, _ := r.file("a.txt", folder.ID)
	links, err := NewLinks([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	token, expires, err := links.Issue(folder, r.clock, time.Hour)
	if err != nil || !expires.Equal(r.clock.Add(time.Hour).Truncate(time.Second)) {
		t.Fatalf("got expiry %s, error %v, want 1h from now in whole seconds", expires, err)
	}
	link, err := links.Read(token, expires.Add(-time.Nanosecond))
	if err != nil || link.NodeID != folder.ID {
		t.Fatalf("got %+v, error %v, want a link to %s", link, err, folder.ID)
	}
	if _, err := links.Read(token, expires); !errors.Is(err, ErrLink) {
		t.Errorf("an expired link: got error %v, want ErrLink", err)
	}
	for i := range token {
		other := "A"
		if token[i] == 'A' {
			other = "B"
		}
		if _, err := links.Read(token[:i]+other+token[i+1:], r.clock); !errors.Is(err, ErrLink) {
			t.Fatalf("a link changed at %d: got error %v, want ErrLink", i, err)
		}
	}
	foreign, err := NewLinks([]byte(strings.Repeat("f", 32)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Read(token, r.clock); !errors.Is(err, ErrLink) {
		t.Errorf("a link signed with another key: got error %v, want ErrLink", err)
	}
	shared, err := r.AddLink(t.Context(), folder.ID, expires, ann)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := links.List(shared, r.clock); err != nil || len(list) != 1 || list[0] != (LinkView{token, expires}) {
		t.Errorf("got links %v, error %v, want one that expires at %s", list, err, expires)
	}
	if list, err := links.List(shared, expires); err != nil || len(list) != 0 {
		t.Errorf("after expiry: got links %v, error %v, want none", list, err)
	}
	holder := Caller{Link: link}
	if _, err := r.Readable(t.Context(), file.ID, holder); err != nil {
		t.Error(err)
	}
	if _, err := r.Writable(t.Context(), file.ID, holder); !errors.Is(err, ErrForbidden) {
		t.Errorf("a write through a link: got error %v, want ErrForbidden", err)
	}
	if _, err := r.Readable(t.Context(), RootID("ann"), holder); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a read above the linked node: got error %v, want ErrNotFound", err)
	}
	if _, err := r.Share(t.Context(), folder.ID, false, []string{"bob"}, nil, ann); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Readable(t.Context(), file.ID, holder); err != nil {
		t.Errorf("a link after a change of the permissions: got error %v, want nil", err)
	}
	if _, err := r.RevokeLinks(t.Context(), folder.ID, ann); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Readable(t.Context(), file.ID, holder); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a revoked link: got error %v, want ErrNotFound", err)
	}
	if list, err := links.List(r.node(folder.ID), r.clock); err != nil || len(list) != 0 {
		t.Errorf("after revocation: got links %v, error %v, want none", list, err)
	}
	if n := r.node(folder.ID); len(n.Permissions.Users) != 1 {
		t.Errorf("got permissions %+v, want 1 user", n.Permissions)
	}
}

func TestLinkLimits(t *testing.T) {
	links, err := NewLinks(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, valid := range []time.Duration{0, -time.Hour, MaxLinkAge + time.Second} {
		if _, _, err := links.Issue(Node{ID: RootID("ann")}, time.Now(), valid); err == nil {
			t.Errorf("a link for %s: got no error, want one", valid)
		}
	}
	if _, err := NewLinks(make([]byte, 31)); err == nil {
		t.Error("a short key: got no error, want one")
	}
}

func TestBulkReturnsOutcomePerOperation(t *testing.T) {
	r := open(t)
	a, b := r.folder("a", ""), r.folder("b", "")
	file, _ := r.file("a.txt", a.ID)
	outcomes, err := r.Bulk(t.Context(), Caller{Owner: "ann"}, []Operation{
		{Op: OpMove, ID: file.ID, ParentID: b.ID},
		{Op: OpMove, ID: a.ID, ParentID: b.ID},
		{Op: OpMove, ID: b.ID, ParentID: a.ID},
		{Op: OpTrash, ID: file.ID, IfMatch: 1},
		{Op: OpTrash, ID: file.ID},
		{Op: OpRestore, ID: file.ID},
		{Op: OpTrash, ID: r.id()},
		{Op: OpMove, ID: file.ID, ParentID: r.id()},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, nil, ErrCycle, ErrVersion, nil, nil, lifecycle.ErrNotFound, lifecycle.ErrNotFound} {
		if !errors.Is(outcomes[i].Err, want) {
			t.Errorf("operation %d: got error %v, want %v", i, outcomes[i].Err, want)
		}
	}
	if n := r.node(file.ID); n.ParentID != b.ID || n.Version != 4 || outcomes[5].Node.Version != 4 {
		t.Errorf("got %+v, want version 4 in folder b", n)
	}
	outcomes, err = r.Bulk(t.Context(), Caller{Owner: "bob"}, []Operation{{Op: OpTrash, ID: file.ID}})
	if err != nil || !errors.Is(outcomes[0].Err, lifecycle.ErrNotFound) {
		t.Errorf("another owner: got %+v, error %v, want ErrNotFound", outcomes, err)
	}
	if _, err := r.Bulk(t.Context(), Caller{Owner: "ann"}, make([]Operation, MaxBulk+1)); !errors.Is(err, ErrBulk) {
		t.Errorf("too many operations: got error %v, want ErrBulk", err)
	}
}
