package cmd

import "github.com/spf13/cobra"

func newBackup(s *settings) *cobra.Command {
	return group(&cobra.Command{Use: "backup", Short: "Back up data"}, newBackupTables(s))
}

func newRestore(s *settings) *cobra.Command {
	return group(&cobra.Command{Use: "restore", Short: "Restore data from a backup"}, newRestoreTables(s))
}
