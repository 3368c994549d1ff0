package app

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestRules: a rule is added, tried out, edited, put after another one, disabled and deleted in the browser, and acts on a new file meanwhile.
func TestRules(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	p := Start(t).Open(t, s.HTTP, "/")
	upload(t, s.System, p.Owner, "a.txt", "a budget")
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Rules")
	p.See(t, ".empty h2", "No rules")
	p.State(t, "rules-empty")

	p.Click(t, "main button", "Add rule")
	fill(t, p, "dialog .field:nth-of-type(1) input", "budgets")
	fill(t, p, "dialog .field:nth-of-type(2) input", "budget before:yesterday")
	fill(t, p, "dialog .step input", "money")
	p.Click(t, ".dialog-foot button", "Add")
	p.See(t, "dialog [role=alert]", "at character 8")
	fill(t, p, "dialog .field:nth-of-type(2) input", "budget")
	p.Click(t, "dialog button", "Add action")
	p.State(t, "rules-form")
	p.Click(t, "dialog button", "Remove action 2")
	p.Click(t, ".dialog-foot button", "Add")
	p.See(t, ".rows .row .name", "budgets")
	p.See(t, ".rows .badge.good", "Enabled")
	p.State(t, "rules")

	p.Click(t, ".rows button", "Actions for budgets")
	p.Click(t, "[role=menuitem]", "Dry run")
	p.See(t, "dialog .trial strong", "a.txt")
	p.See(t, "dialog .trial .sub", "tag: money")
	p.State(t, "rules-dry-run")
	p.Click(t, ".dialog-foot button", "Close")

	p.Click(t, "main button", "Add rule")
	fill(t, p, "dialog .field:nth-of-type(1) input", "archive")
	fill(t, p, "dialog .field:nth-of-type(2) input", "archive")
	fill(t, p, "dialog .step input", "old")
	p.Click(t, ".dialog-foot button", "Add")
	p.See(t, ".rows .row:first-child .name", "archive")
	p.Click(t, ".rows button", "Actions for archive")
	p.Click(t, "[role=menuitem]", "Edit")
	fill(t, p, "dialog .step input", "older")
	fill(t, p, "dialog input[type=number]", "5")
	p.State(t, "rules-edit")
	p.Click(t, ".dialog-foot button", "Save")
	p.See(t, ".rows .row:last-child .name", "archive") // it acts after the other one from now on
	c := s.Client(t, p.Owner)
	edited, err := c.Rule(system.Within(t), "archive")
	if err != nil || edited.Order != 5 || edited.Query != "archive" || len(edited.Actions) != 1 || edited.Actions[0].Tag != "older" || !edited.Enabled {
		t.Errorf("got %+v, %v; want the edited rule", edited, err)
	}
	p.Click(t, ".rows button", "Actions for archive")
	p.Click(t, "[role=menuitem]", "Delete")
	p.Click(t, ".dialog-foot button", "Delete")
	p.See(t, ".rows .row:first-child:last-child .name", "budgets")

	file := upload(t, s.System, p.Owner, "b.txt", "another budget")
	system.Eventually(t, func() error {
		i, err := c.Item(system.Within(t), "textfile", file.FileID)
		if err == nil && !slices.Equal(i.Tags, []string{"money"}) {
			err = fmt.Errorf("the new file has the tags %q, want money", i.Tags)
		}
		return err
	})

	p.Click(t, ".rows button", "Actions for budgets")
	p.Click(t, "[role=menuitem]", "Disable")
	p.See(t, ".rows .badge", "Disabled")
	p.Click(t, ".rows button", "Actions for budgets")
	p.Click(t, "[role=menuitem]", "Delete")
	p.Click(t, ".dialog-foot button", "Delete")
	p.See(t, ".empty h2", "No rules")
}
