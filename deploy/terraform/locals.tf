locals {
  # The table of photo jobs has provisioned capacity that scales in production, and is billed by request elsewhere.
  provisioned = var.environment == "prod"

  # The buckets: the shared one, and those of uploaded and of edited photos.
  buckets = {
    files = lookup(var.bucket_names, "files", "assay-files")
    temp  = lookup(var.bucket_names, "temp", "photoeditor-${var.environment}-temp")
    final = lookup(var.bucket_names, "final", "photoeditor-${var.environment}-final")
  }

  # Clients upload directly to these, which report each upload to the queue.
  uploads = toset(["files", "temp"])

  tags = merge({ Environment = var.environment }, var.tags)

  table_arns = {
    assay_platform            = aws_dynamodb_table.assay_platform.arn
    leanda_ng_files           = aws_dynamodb_table.leanda_ng_files.arn
    leanda_ng_nodes           = aws_dynamodb_table.leanda_ng_nodes.arn
    leanda_ng_workflow_state  = aws_dynamodb_table.leanda_ng_workflow_state.arn
    photoeditor_jobs          = aws_dynamodb_table.photoeditor_jobs.arn
    sentiment_items_dashboard = aws_dynamodb_table.sentiment_items_dashboard.arn
    sentiment_items_primary   = aws_dynamodb_table.sentiment_items_primary.arn
    text_analyzer_history     = aws_dynamodb_table.text_analyzer_history.arn
  }
}
