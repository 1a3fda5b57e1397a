public enum AuthModule {}
