package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/services/assay/client"
)

// operatorFlag adds the flag with the operator address.
func operatorFlag(cmd *cobra.Command) *string {
	return cmd.PersistentFlags().String("operator", "", "operator address of the server, such as http://127.0.0.1:8084 [ASSAY_OPERATOR]")
}

func newQuotas(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quotas",
		Short: "Show and set the quotas of an owner",
		Long: `Show and set the quotas of an owner.

The quotas limit stored bytes and items, open uploads in parts, requests per second, and
open streams of live events. The last two apply per process.
The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else that
of a running "assay serve".`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	operator := operatorFlag(cmd)
	cmd.AddCommand(&cobra.Command{
		Use: "show OWNER", Short: "Show the quotas of an owner and their usage", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			found, err := c.Quotas(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return s.writeQuotas(cmd.OutOrStdout(), found)
		},
	}, &cobra.Command{
		Use: "set OWNER [NAME=LIMIT…]", Short: "Set quotas of an owner",
		Long: `Set quotas of an owner. They replace all quotas set before; for quotas that are not named,
the server's settings apply. 0 means no limit.`,
		Example: "  assay quotas set alice bytes=50GiB items=100000\n  assay quotas set alice   (resets to the server's settings)",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := quota.Parse(args[1:]...)
			if err != nil {
				return &Usage{Err: err}
			}
			c, err := s.operatorClient(*operator)
			if err != nil {
				return err
			}
			found, err := c.SetQuotas(cmd.Context(), args[0], client.QuotaSettings(set))
			if err != nil {
				return err
			}
			return s.writeQuotas(cmd.OutOrStdout(), found)
		},
	})
	return cmd
}

func (s *settings) writeQuotas(w io.Writer, q client.OwnerQuotas) error {
	if s.json {
		return writeJSON(w, q)
	}
	var out strings.Builder
	out.WriteString("QUOTA\tLIMIT\tUSED\tSET BY\n")
	for _, row := range []struct {
		name        string
		limit, used int64
		set         *int64
	}{
		{"bytes", q.Quotas.Bytes, q.Use.Bytes, q.Set.Bytes}, {"items", q.Quotas.Items, q.Use.Items, q.Set.Items},
		{"uploads", q.Quotas.Uploads, q.Use.Uploads, q.Set.Uploads},
		{"requests", q.Quotas.Requests, -1, q.Set.Requests}, {"streams", q.Quotas.Streams, -1, q.Set.Streams},
	} {
		limit, used, by := fmt.Sprint(row.limit), fmt.Sprint(row.used), "settings"
		if row.limit == 0 {
			limit = "none"
		}
		if row.used < 0 {
			used = "-"
		}
		if row.set != nil {
			by = "operator"
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", row.name, limit, used, by)
	}
	return writeTable(w, out.String())
}

func newAudit(s *settings) *cobra.Command {
	var since string
	var limit int
	cmd := &cobra.Command{
		Use: "audit", Short: "List write operations of operators, newest first", Args: cobra.NoArgs,
		Long: `List write operations of operators, newest first, with the operator, credential, address,
action and outcome. Operations refused for lack of the role are listed too. The outcome is
unknown while an operation runs, and if its process terminated before recording it.

The command calls the server's operator address: --operator, else ASSAY_OPERATOR, else that
of a running "assay serve".`,
	}
	operator := operatorFlag(cmd)
	cmd.Flags().StringVar(&since, "since", "", "only operations since this time (RFC 3339), or within this duration before now (6h)")
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of operations to list, up to 200")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		from, err := moment("--since", since)
		if err == nil {
			err = within("--limit", limit, 200)
		}
		if err != nil {
			return err
		}
		c, err := s.operatorClient(*operator)
		if err != nil {
			return err
		}
		entries, next, err := c.Audit(cmd.Context(), from, limit, "")
		if err != nil {
			return err
		}
		if next != "" {
			defer note(cmd.ErrOrStderr(), "There are more; raise --limit or use --since.")
		}
		return s.writeAudit(cmd.OutOrStdout(), entries)
	}
	return cmd
}

func (s *settings) writeAudit(w io.Writer, entries []client.AuditEntry) error {
	var out strings.Builder
	if len(entries) > 0 {
		out.WriteString("TIME\tWHO\tCREDENTIAL\tADDRESS\tOPERATION\tPATH\tOUTCOME\tREQUEST\n")
	}
	for _, e := range entries {
		if s.json {
			if err := writeJSON(w, e); err != nil {
				return err
			}
			continue
		}
		who, outcome := e.Who, e.Outcome
		if who == "" {
			who = "-"
		}
		credential := cmp.Or(strings.TrimSpace(e.Credential+" "+e.KeyID), "-")
		if e.Status != 0 {
			outcome = fmt.Sprintf("%s (%d)", e.Outcome, e.Status)
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Time.Local().Format(time.DateTime), shown(who), shown(credential), shown(e.Address), e.Operation, shown(e.Path), outcome, shown(e.RequestID))
	}
	if s.json {
		return nil
	}
	return writeTable(w, out.String())
}
