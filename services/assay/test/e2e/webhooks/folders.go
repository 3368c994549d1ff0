package webhooks

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// foldersSelectFiles: an endpoint for a folder receives the outcomes of files in it and below it, and no others.
func foldersSelectFiles(t *testing.T, s system.System) {
	owner := newOwner(s)
	c := s.Client(t, owner.name)
	folder := func(name, parent string) client.Node {
		n, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: name, ParentID: parent})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	file := func(name, parent string) client.Node {
		sum := sha256.Sum256([]byte(words))
		n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
			Name: name, Size: int64(len(words)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]), ParentID: parent,
		}, client.Source{Content: strings.NewReader(words)})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	invoices, other := folder("invoices", ""), folder("other", "")
	below := folder("2026", invoices.ID)
	selected, all := owner.register(t, `"folder":"`+invoices.ID+`","include":"result"`), owner.register(t, "")
	elsewhere := file("a.txt", other.ID)
	if got := all.next(t); got.Type != "library.completed" || got.Data["id"] != elsewhere.ID {
		t.Errorf("got %+v, want the outcome of %s", got, elsewhere.ID)
	}
	deep := file("b.txt", below.ID)
	got := selected.next(t)
	if node, ok := got.Data["result"].(map[string]any); !ok || got.Data["id"] != deep.ID || node["id"] != deep.ID || got.Data["url"] != "/v1/library/nodes/"+deep.ID {
		t.Errorf("got %+v, want the node %s", got, deep.ID)
	}
}
