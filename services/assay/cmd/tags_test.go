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

func TestRules(t *testing.T) {
	p := newPerson(t)
	p.run("rules", "list").want(t, 0, "", "No rules yet; save one with: assay rules save NAME --q QUERY --do tag=TAG\n")
	id := "textfile/" + p.upload("a.txt", "budget of the year")
	p.indexed(id)
	p.run("rules", "save", "r", "--do", "tag=x").want(t, 2, "", "at least one of the flags in the group [search q] is required")
	p.run("rules", "save", "r", "--q", "budget", "--do", "print").want(t, 2, "", "--do print: must be tag=TAG")
	p.run("rules", "save", "r", "--search", "none", "--do", "tag=x").want(t, 1, "", "is not the name of one of your saved searches")
	p.run("rules", "save", "r", "--q", "budget", "--area", "textfile", "--do", "tag=x", "--do", "move=root", "--do", "edit=brighter", "--order", "2", "--disabled").want(t, 0,
		"name     r\nfor      budget in textfile\ndoes     tag=x\n         move=root\n         edit=brighter\norder    2\nstate    disabled\ncreated  TIME\nupdated  TIME\n", "")
	p.run("rules", "save", "s", "--q", "budget", "--do", "notify=new", "--json").has(t, 0, `{"name":"s","q":"budget","areas":[],"actions":[{"notify":"new"}],"order":0,"enabled":true,"createdAt":"TIME"`, "")
	p.run("rules", "list").want(t, 0, "NAME  ORDER  STATE     FOR                 DOES\ns     0      enabled   budget              notify=new\nr     2      disabled  budget in textfile  tag=x, move=root, edit=brighter\n", "")
	p.run("rules", "dry-run", "s").has(t, 0, "textfile/ID  s     notify=new  planned", "")
	p.run("rules", "dry-run", "none").want(t, 1, "", "assay: You have no rule with this name.\n")
	p.run("rules", "log", id).want(t, 0, "", "No rule has acted on the item.\n")
	p.run("rules", "log", "textfile").want(t, 2, "", "textfile is not an area and an id")
	p.run("rules", "delete", "r", "s").want(t, 0, "r  deleted\ns  deleted\n", "")
}
