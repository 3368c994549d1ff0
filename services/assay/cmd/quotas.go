package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/services/assay/client"
)

func newQuotas(s *settings) *cobra.Command {
	quotas := item[client.OwnerQuotas]{settings: s, connect: s.operatorClient, fields: quotaFields}
	return s.operators(group(&cobra.Command{
		Use:   "quotas",
		Short: "Show and set the quotas of an owner",
		Long: `Show and set the quotas of an owner.

The quotas limit stored bytes and items, open uploads in parts, requests per second, and
open streams of live events. The last two apply per process.
What an owner uses is not counted without a quota of bytes, items or uploads, and until such a
quota counts the first item. The next sweep counts the items from before.
The commands call the server's operator address: --operator, else ASSAY_OPERATOR, else that
of a running "assay serve".`,
	},
		quotas.newShow(&cobra.Command{Use: "show OWNER", Short: "Show the quotas of an owner and their usage"},
			(*client.Client).Quotas),
		quotas.newSet(&cobra.Command{
			Use: "set OWNER [NAME=LIMIT…]", Short: "Set quotas of an owner",
			Long: `Set quotas of an owner. They replace all quotas set before; for quotas that are not named,
the server's settings apply. 0 means no limit.`,
			Example: "  assay quotas set alice bytes=50GiB items=100000\n" +
				"  assay quotas set alice   (resets to the server's settings)",
			Args: cobra.MinimumNArgs(1),
			PreRunE: func(_ *cobra.Command, args []string) error {
				if _, err := quota.Parse(args[1:]...); err != nil {
					return &Usage{Err: err}
				}
				return nil
			},
		}, func(ctx context.Context, c *client.Client, args []string) (client.OwnerQuotas, error) {
			set, err := quota.Parse(args[1:]...)
			if err != nil {
				return client.OwnerQuotas{}, err
			}
			return c.SetQuotas(ctx, args[0], client.QuotaSettings(set))
		})), "8084")
}

// notCounted is the usage of an owner whose items are not counted.
const notCounted = "not counted"

func quotaFields(t *columns, q client.OwnerQuotas) {
	t.row("QUOTA", "LIMIT", "USED", "SET BY")
	row := func(name string, limit int64, used any, set *int64) {
		var most any = limit
		if limit == 0 {
			most = "none"
		}
		by := "settings"
		if set != nil {
			by = "operator"
		}
		t.row(name, most, used, by)
	}
	var bytes, items, uploads any = notCounted, notCounted, notCounted
	if q.Use != nil {
		bytes, items, uploads = q.Use.Bytes, q.Use.Items, q.Use.Uploads
	}
	row("bytes", q.Quotas.Bytes, bytes, q.Set.Bytes)
	row("items", q.Quotas.Items, items, q.Set.Items)
	row("uploads", q.Quotas.Uploads, uploads, q.Set.Uploads)
	row("requests", q.Quotas.Requests, "-", q.Set.Requests)
	row("streams", q.Quotas.Streams, "-", q.Set.Streams)
}
