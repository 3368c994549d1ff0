output "environment_variables" {
  description = "Variables for ingest, analyzer and query."
  value = {
    ASSAY_ENV = var.environment
    ASSAY_S3_BUCKET              = local.buckets.files
    ASSAY_PHOTOJOB_TEMP_BUCKET = local.buckets.temp
    ASSAY_PHOTOJOB_FINAL_BUCKET = local.buckets.final
    ASSAY_TEXTFILE_TABLE = aws_dynamodb_table.text_analyzer_history.name
    ASSAY_FEED_TABLE = aws_dynamodb_table.sentiment_items_primary.name
    ASSAY_FEED_DASHBOARD_TABLE = aws_dynamodb_table.sentiment_items_dashboard.name
    ASSAY_PHOTOJOB_TABLE = aws_dynamodb_table.photoeditor_jobs.name
    LEANDA_NODES_TABLE = aws_dynamodb_table.leanda_ng_nodes.name
    LEANDA_FILES_TABLE = aws_dynamodb_table.leanda_ng_files.name
    LEANDA_WORKFLOW_STATE_TABLE = aws_dynamodb_table.leanda_ng_workflow_state.name
    ASSAY_PLATFORM_TABLE = aws_dynamodb_table.assay_platform.name
    ASSAY_SQS_URL = aws_sqs_queue.notices.url
  }
}

output "table_arns" {
  description = "ARNs of the tables by resource."
  value = {
    text_analyzer_history     = aws_dynamodb_table.text_analyzer_history.arn
    sentiment_items_primary   = aws_dynamodb_table.sentiment_items_primary.arn
    sentiment_items_dashboard = aws_dynamodb_table.sentiment_items_dashboard.arn
    photoeditor_jobs          = aws_dynamodb_table.photoeditor_jobs.arn
    leanda_ng_nodes           = aws_dynamodb_table.leanda_ng_nodes.arn
    leanda_ng_files           = aws_dynamodb_table.leanda_ng_files.arn
    leanda_ng_workflow_state  = aws_dynamodb_table.leanda_ng_workflow_state.arn
    assay_platform            = aws_dynamodb_table.assay_platform.arn
  }
}
