"""The report card: engines on the same scenes, judged by one certificate."""
