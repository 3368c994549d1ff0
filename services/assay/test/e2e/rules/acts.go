package rules

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// newItemsAreActedOn: a rule tags, sends and reports a new item that matches, once, and leaves alone those that have matched before,
// those of other areas, those of other owners, and those that do not match.
func newItemsAreActedOn(t *testing.T, s system.System) {
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	common := word()
	before := text(t, c, "before.txt", common)
	search(t, c, "budgets", common)
	rule(t, c, "r", client.NewRule{Search: "budgets", Areas: []string{"textfile"}, Actions: []client.RuleAction{
		{Tag: "Budget"}, {Send: "library"}, {Notify: "A new budget."},
	}})
	rule(t, c, "own", client.NewRule{Query: common + " type:txt", Areas: []string{"textfile"}, Actions: []client.RuleAction{{Tag: "text"}}})
	live, hooks := follow(t, c, client.Following{}), receive(t, c, "textfile.notified")
	file := text(t, c, "a.txt", common)
	entries := acted(t, c, file, `r done {"tag":"Budget"}`, `r done {"send":"library"}`, `r done {"notify":"A new budget."}`, `own done {"tag":"text"}`)
	tagged(t, c, file, "Budget", "text")
	notice := client.ItemEvent{Area: file.Area, ID: file.ID, Name: "a.txt", Rule: "r", Message: "A new budget."}
	live.has(t, client.NoticeEvent, notice)
	if got := arrival(t, hooks); got.Type != "textfile.notified" || got.Data.Rule != "r" || got.Data.Message != notice.Message || got.Data.ID != file.ID {
		t.Errorf("the webhook got %+v, want %+v", got, notice)
	}
	sent := entries[slices.IndexFunc(entries, func(e client.RuleEntry) bool { return e.Created != nil })].Created
	if node, err := c.WaitNode(system.Within(t), sent.ID); err != nil || node.Name != "a.txt" {
		t.Errorf("the sent file is %+v, error %v, want a.txt", node, err)
	}
	if l, err := c.ItemRules(system.Within(t), sent.Area, sent.ID); err != nil || l.From == nil || *l.From != file || !slices.Equal(l.Rules, []string{"r"}) {
		t.Errorf("the sent file has %+v, error %v, want its origin", l, err)
	}
	text(t, other, "a.txt", common)
	last := text(t, c, "last.txt", "no such word")
	if all := items(t, c, "library"); len(all) != 1 {
		t.Errorf("the library has %v, want the sent file", all)
	}
	if all := items(t, other, ""); len(all) != 1 {
		t.Errorf("another owner has %v, want one item", all)
	}
	tagged(t, c, before)
	tagged(t, c, last)
}

// filesAreMoved: a rule moves a file of the library to a folder, and to the root.
func filesAreMoved(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	folder, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "budgets"})
	if err != nil {
		t.Fatal(err)
	}
	rule(t, c, "r", client.NewRule{Query: common, Actions: []client.RuleAction{{Move: strings.ToUpper(folder.ID)}}})
	rule(t, c, "up", client.NewRule{Query: "tag:up", Actions: []client.RuleAction{{Move: "root"}}})
	node := stored(t, c, "a.txt", common)
	acted(t, c, node, `r done {"move":"`+folder.ID+`"}`)
	if n, err := c.Node(system.Within(t), node.ID, client.Reading{}); err != nil || n.ParentID != folder.ID {
		t.Errorf("the file is in %s, error %v, want %s", n.ParentID, err, folder.ID)
	}
	if err := c.TagItem(system.Within(t), node.Area, node.ID, "up"); err != nil {
		t.Fatal(err)
	}
	acted(t, c, node, `r done {"move":"`+folder.ID+`"}`, `up conflict {"move":"root"}`)
}

// picturesAreEdited: a rule makes a photo job of a picture in the library.
func picturesAreEdited(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	name := word() + ".jpg"
	rule(t, c, "r", client.NewRule{Query: strings.TrimSuffix(name, ".jpg"), Areas: []string{"library"}, Actions: []client.RuleAction{{Edit: &client.RuleEdit{Prompt: "make it brighter", Options: map[string]any{"format": "png"}}}}})
	node := stored(t, c, name, string(system.DrawPhoto(t, 7)))
	entries := acted(t, c, node, `r done {"edit":{"prompt":"make it brighter","options":{"format":"png"}}}`)
	job := system.AwaitPhoto(t, c, entries[0].Created.ID, "COMPLETED")
	if job.Prompt != "make it brighter" {
		t.Errorf("the job is %+v, want the prompt", job)
	}
	bad := stored(t, c, strings.TrimSuffix(name, ".jpg")+".txt", "no picture")
	entries = acted(t, c, bad, `r failed {"edit":{"prompt":"make it brighter","options":{"format":"png"}}}`)
	if entries[0].Detail == "" {
		t.Error("the failure has no reason")
	}
}

// theFirstWins: of two rules that move an item to different folders, or add and remove the same tag, the first in order acts, and
// the other one is a conflict in the log.
func theFirstWins(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	one, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "one"})
	two, failed := c.CreateFolder(system.Within(t), client.NewFolder{Name: "two"})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	search(t, c, "s", common)
	rule(t, c, "a", client.NewRule{Search: "s", Order: 2, Actions: []client.RuleAction{{Move: one.ID}, {Untag: "X"}, {Tag: "a"}}})
	rule(t, c, "b", client.NewRule{Search: "s", Order: 1, Actions: []client.RuleAction{{Move: two.ID}, {Tag: "x"}}})
	node := stored(t, c, "a.txt", common)
	entries := acted(t, c, node, `b done {"move":"`+two.ID+`"}`, `b done {"tag":"x"}`, `a conflict {"move":"`+one.ID+`"}`, `a conflict {"untag":"X"}`, `a done {"tag":"a"}`)
	for _, e := range entries {
		if e.Status == "conflict" && !strings.Contains(e.Detail, "rule b") {
			t.Errorf("the conflict says %q, want the name of the other rule", e.Detail)
		}
	}
	tagged(t, c, node, "a", "x")
	if n, err := c.Node(system.Within(t), node.ID, client.Reading{}); err != nil || n.ParentID != two.ID {
		t.Errorf("the file is in %s, error %v, want %s", n.ParentID, err, two.ID)
	}
}

// noLoops: a rule does not act on an item that it has created, directly or through another rule.
func noLoops(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	rule(t, c, "a", client.NewRule{Query: common, Areas: []string{"textfile"}, Actions: []client.RuleAction{{Send: "library"}}})
	rule(t, c, "b", client.NewRule{Query: common, Areas: []string{"library"}, Actions: []client.RuleAction{{Send: "textfile"}}})
	file := text(t, c, "a.txt", common)
	node := acted(t, c, file, `a done {"send":"library"}`)[0].Created
	back := acted(t, c, *node, `b done {"send":"textfile"}`)[0].Created
	skipped := acted(t, c, *back, `a skipped {"send":"library"}`)
	if !strings.Contains(skipped[0].Detail, "was created by this rule") {
		t.Errorf("the log says %q, want the reason", skipped[0].Detail)
	}
	if files, nodes := items(t, c, "textfile"), items(t, c, "library"); len(files) != 2 || len(nodes) != 1 {
		t.Errorf("got %v and %v, want 2 text files and 1 node", files, nodes)
	}
}

// chainsEnd: the sixth rule of a chain, in which each sends what the one before it has sent, does not act.
func chainsEnd(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	for n, name := range []string{"r0", "r1", "r2", "r3", "r4", "r5", "r6"} {
		area, to := "textfile", "library"
		if n%2 == 1 {
			area, to = to, area
		}
		rule(t, c, name, client.NewRule{Query: common, Areas: []string{area}, Order: n, Actions: []client.RuleAction{{Send: to}}})
	}
	text(t, c, "a.txt", common)
	system.Eventually(t, func() error {
		for _, i := range append(items(t, c, "textfile"), items(t, c, "library")...) {
			l, err := c.ItemRules(system.Within(t), i.Area, i.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(l.Entries, func(e client.RuleEntry) bool { return e.Status == "skipped" && strings.Contains(e.Detail, "5 rules") }) {
				return nil
			}
		}
		return errNoItem
	})
}

// endedAgain: a rule acts again on a file that was processed again, and not because of a tag.
func endedAgain(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	rule(t, c, "r", client.NewRule{Query: common, Actions: []client.RuleAction{{Tag: "x"}}})
	rule(t, c, "t", client.NewRule{Query: common + " tag:y", Actions: []client.RuleAction{{Tag: "z"}}})
	node := stored(t, c, "a.txt", common)
	acted(t, c, node, `r done {"tag":"x"}`)
	if err := c.TagItem(system.Within(t), node.Area, node.ID, "y"); err != nil {
		t.Fatal(err)
	}
	acted(t, c, node, `r done {"tag":"x"}`, `t done {"tag":"z"}`)
	if _, err := c.ReprocessLibraryFile(system.Within(t), node.ID); err != nil {
		t.Fatal(err)
	}
	acted(t, c, node, `r done {"tag":"x"}`, `t done {"tag":"z"}`, `r done {"tag":"x"}`, `t done {"tag":"z"}`)
}

// failuresAreExplained: actions that are not possible fail with a reason, and the others are done.
func failuresAreExplained(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	folder, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "budgets"})
	if err == nil {
		err = c.EraseNode(system.Within(t), folder.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	rule(t, c, "r", client.NewRule{Query: common, Actions: []client.RuleAction{{Move: folder.ID}, {Tag: "x"}}})
	node := stored(t, c, "a.txt", common)
	entries := acted(t, c, node, `r failed {"move":"`+folder.ID+`"}`, `r done {"tag":"x"}`)
	if want := "The target folder does not exist, or you may not change it. Choose another folder."; entries[0].Detail != want {
		t.Errorf("the reason is %q, want %q", entries[0].Detail, want)
	}
	file := text(t, c, "b.txt", common)
	acted(t, c, file, `r failed {"move":"`+folder.ID+`"}`, `r done {"tag":"x"}`)
}
