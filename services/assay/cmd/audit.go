package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newAudit(s *settings) *cobra.Command {
	entries := item[client.AuditEntry]{
		settings: s, connect: s.operatorClient, none: "No operations.",
		heads: []any{"TIME", "WHO", "CREDENTIAL", "ADDRESS", "OPERATION", "PATH", "OUTCOME", "REQUEST"},
		cells: auditCells,
	}
	var from time.Time
	var since string
	var limit int
	cmd := &cobra.Command{
		Use: "audit", Short: "List write operations of operators, newest first",
		Long: `List write operations of operators, newest first, with the operator, credential, address,
action and outcome. Operations refused for lack of the role are listed too. The outcome is
unknown while an operation runs, and if its process terminated before recording it.

The command calls the server's operator address: --operator, else ASSAY_OPERATOR, else that
of a running "assay serve".`,
	}
	cmd.Flags().StringVar(&since, "since", "",
		"only operations since this time (RFC 3339), or within this duration before now (6h)")
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of operations to list, up to 200")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if from, err = moment("--since", since); err == nil {
			err = within("--limit", limit, 200)
		}
		return err
	}
	return s.operators(entries.newPage(cmd, "raise --limit or use --since",
		func(ctx context.Context, c *client.Client) ([]client.AuditEntry, bool, error) {
			entries, next, err := c.Audit(ctx, from, limit, "")
			return entries, next != "", err
		}), "8084")
}

func auditCells(e client.AuditEntry) []any {
	who, credential := cmp.Or(e.Who, "-"), cmp.Or(strings.TrimSpace(e.Credential+" "+e.KeyID), "-")
	outcome := e.Outcome
	if e.Status != 0 {
		outcome = fmt.Sprintf("%s (%d)", e.Outcome, e.Status)
	}
	return []any{dateTime(e.Time), who, credential, e.Address, e.Operation, e.Path, outcome, e.RequestID}
}
