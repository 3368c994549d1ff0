package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// indexed waits until the search has an item, named as area/id.
func (p person) indexed(item string) {
	p.Helper()
	c, err := client.New(client.Config{Server: os.Getenv("ASSAY_SERVER"), OwnerID: p.owner})
	if err == nil {
		_, err = c.Search(p.Context(), client.AreaSearch{Query: "word", After: item})
	}
	if err != nil {
		p.Fatal(err)
	}
}

func TestTags(t *testing.T) {
	p := newPerson(t)
	p.run("tags").want(t, 0, "", "No tags yet; tag an item with: assay tag AREA/ID TAG\n")
	id := "textfile/" + p.upload("a.txt", "one")
	p.indexed(id)
	p.run("tag", id, "Budget", "annual  report").want(t, 0, "textfile/ID  annual report, Budget\n", "")
	p.run("tag", id, "BUDGET", "--json").want(t, 0, `{"area":"textfile","id":"ID","tags":["annual report","Budget"]}`+"\n", "")
	p.run("tags").want(t, 0, "TAG            ITEMS\nannual report  1\nBudget         1\n", "")
	p.run("tags", "--json").want(t, 0, `{"tag":"annual report","items":1}`+"\n"+`{"tag":"Budget","items":1}`+"\n", "")
	p.run("items", "--tag", "budget", "--tag", "annual report").has(t, 0, "textfile  ID  done        a.txt\n", "")
	p.run("items", "--tag", "budget", "--area", "feed").want(t, 0, "", "No items yet; upload a text with: assay upload FILE\n")
	p.run("find", "--tag", "budget").has(t, 0, "textfile  ID  COMPLETED           a.txt\n", "1 hit\n")
	p.run("find", "a", "--tag", "none").want(t, 0, "", "0 hits\n")
	p.run("find", "--tag", `a"b`).want(t, 2, "", "has a quotation mark")
	p.run("untag", id, "budget", "annual report").want(t, 0, "textfile/ID  \n", "")
	p.run("tag", id, strings.Repeat("x", 51)).want(t, 1, "", "longer than 50 characters")
	p.run("tag", "textfile", "x").want(t, 2, "", "textfile is not an area and an id")
	p.run("tag", "nothing/x", "x").want(t, 1, "", "assay: There is no area with this name.\n")
	p.run("tag", id).want(t, 2, "", "See: assay tag --help")
}

func TestSearches(t *testing.T) {
	p := newPerson(t)
	p.run("searches", "list").want(t, 0, "", "No searches yet; save one with: assay searches save NAME QUERY\n")
	id := "textfile/" + p.upload("a.txt", "budget of the year")
	p.indexed(id)
	if got := p.run("tag", id, "2026"); got.status != 0 {
		t.Fatalf("tag: got %+v, want status 0", got)
	}
	p.run("searches", "save", "budgets", "budget", "-draft", "--tag", "2026").want(t, 2, "", "unknown shorthand flag")
	p.run("searches", "save", "budgets", "budget -draft", "--tag", "2026", "--area", "textfile,library").want(t, 0,
		"name     budgets\nquery    budget -draft tag:\"2026\"\nareas    library,textfile\ncreated  TIME\nupdated  TIME\n", "")
	p.run("searches", "save", "all", "type:txt", "--tag", "2026", "--json").has(t, 0, `{"name":"all","q":"type:txt tag:\"2026\"","areas":[],"createdAt":"TIME"`, "")
	p.run("searches", "list").want(t, 0, "NAME     AREAS             QUERY\nall      all               type:txt tag:\"2026\"\nbudgets  library,textfile  budget -draft tag:\"2026\"\n", "")
	p.run("searches", "show", "all").has(t, 0, "query    type:txt tag:\"2026\"\n", "")
	p.run("searches", "run", "all").has(t, 0, "textfile  ID  COMPLETED           a.txt\n", "1 hit\n")
	p.run("searches", "save", "all", "before:yesterday").want(t, 1, "", "at character 1: ")
	p.run("searches", "save", "all").want(t, 2, "", "See: assay searches save --help")
	p.run("searches", "delete", "all", "budgets").want(t, 0, "all  deleted\nbudgets  deleted\n", "")
	p.run("searches", "run", "all").want(t, 1, "", "assay: You have no saved search with this name.\n")
}
