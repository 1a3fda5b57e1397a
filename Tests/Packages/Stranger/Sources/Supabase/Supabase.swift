public enum SupabaseModule {}
